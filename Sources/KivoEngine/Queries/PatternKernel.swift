/// A pattern of `LIKE`, matched by bytes. A character is a scalar: a byte and its continuation bytes.
///
/// Most strings are excluded by the bytes before the first wildcard, and by the longest bytes between two.
struct PatternKernel: StringKernel {
    private enum Element: Equatable {
        case byte(UInt8)
        case one
        case any
    }

    private let elements: [Element]
    private let beginning: BeginKernel
    private let part: PartKernel

    init(_ pattern: [TextTest.PatternElement]) {
        var elements: [Element] = []
        var runs: [[UInt8]] = [[]]
        for element in pattern {
            switch element {
            case .scalar(let scalar):
                let bytes = Array(UTF8.encode(scalar)!)
                elements += bytes.map { .byte($0) }
                runs[runs.count - 1] += bytes
            case .one:
                elements.append(.one)
                runs.append([])
            case .any:
                elements.append(.any)
                runs.append([])
            }
        }
        self.elements = elements
        beginning = BeginKernel(runs[0])
        part = PartKernel(runs.dropFirst().max { $0.count < $1.count } ?? [])
    }

    @inline(__always)
    func holds(_ text: ShortText) -> Bool {
        beginning.holds(text) && part.holds(text) && matches(text)
    }

    @inline(never)
    private func matches(_ text: ShortText) -> Bool {
        withUnsafeBytes(of: text.bytes.littleEndian) { raw in
            matches(UnsafeBufferPointer(rebasing: raw.bindMemory(to: UInt8.self)[..<text.count]))
        }
    }

    func holds(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        beginning.holds(bytes) && part.holds(bytes) && matches(bytes)
    }

    /// Matches by backtracking to the last `*` on a mismatch, like ``TextTest``.
    private func matches(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        elements.withUnsafeBufferPointer { elements in
            var (position, element) = (0, 0)
            var retry: (position: Int, element: Int)?
            while position < bytes.count {
                if element < elements.count {
                    switch elements[element] {
                    case .any:
                        retry = (position, element + 1)
                        element += 1
                        continue
                    case .one where !bytes.isContinuation(position):
                        position += 1
                        while position < bytes.count, bytes.isContinuation(position) { position += 1 }
                        element += 1
                        continue
                    case .byte(let byte) where byte == bytes[position]:
                        (position, element) = (position + 1, element + 1)
                        continue
                    default: break
                    }
                }
                guard let last = retry else { return false }
                retry = (last.position + 1, last.element)
                (position, element) = (last.position + 1, last.element)
            }
            return elements[element...].allSatisfy { $0 == .any }
        }
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Whether the byte at a position continues a scalar.
    fileprivate func isContinuation(_ position: Int) -> Bool { self[position] & 0xC0 == 0x80 }
}
