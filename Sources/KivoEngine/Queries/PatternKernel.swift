/// A pattern of `LIKE`, matched by bytes. A character is a scalar: a byte and its continuation bytes.
///
/// Most strings are excluded by the bytes before the first wildcard, and by the longest bytes between two.
struct PatternKernel: StringKernel {
    fileprivate enum Element: Equatable {
        case byte(UInt8)
        case one
        case any
    }

    fileprivate let elements: [Element]
    /// The runs of bytes between the wildcards.
    fileprivate let runs: [[UInt8]]
    private let beginning: BeginKernel
    private let part: PartKernel
    let filter: ByteFilter?

    /// Creates the kernel of a pattern whose scalars are encoded as bytes by a rule.
    init(
        _ pattern: [TextTest.PatternElement],
        _ encode: (Unicode.Scalar) -> [UInt8] = { Array(UTF8.encode($0)!) }
    ) {
        var elements: [Element] = []
        var runs: [[UInt8]] = [[]]
        for element in pattern {
            switch element {
            case .scalar(let scalar):
                let bytes = encode(scalar)
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
        self.runs = runs
        filter = .runs(runs)
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

/// A pattern of `LIKE` whose wildcards are all `*`. In strings in place each run of bytes between two is searched behind the one
/// before it, where it begins first.
///
/// Small, because the compiler copies a kernel for each string if its registers do not hold it.
struct RunsKernel: StringKernel {
    private let runs: [ShortRun]
    private let pattern: Pattern
    var filter: ByteFilter? { pattern.kernel.filter }

    /// The kernel for longer strings.
    private final class Pattern {
        let kernel: PatternKernel

        init(_ kernel: PatternKernel) { self.kernel = kernel }
    }

    /// Creates the kernel of a pattern; nil if that has another wildcard, or none.
    init?(_ pattern: PatternKernel) {
        let elements = pattern.elements
        // Bytes behind the end of a text are 0.
        guard elements.contains(.any), !elements.contains(.one), !elements.contains(.byte(0)) else {
            return nil
        }
        let last = pattern.runs.count - 1
        runs = pattern.runs.enumerated().map { ShortRun($1, isFirst: $0 == 0, isLast: $0 == last) }
            .filter { !$0.isEmpty }
        self.pattern = Pattern(pattern)
    }

    @inline(__always)
    func holds(_ text: ShortText) -> Bool {
        runs.withUnsafeBufferPointer { runs in
            var places = UInt128.max
            for index in 0..<runs.count { places = runs[index].places(places, in: text) }
            return places != 0
        }
    }

    func holds(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool { pattern.kernel.holds(bytes) }
}

/// A run of bytes of a pattern, which is found in strings of up to 15 bytes.
///
/// Places are the highest bits of the bytes. They are computed without branches: which of many strings match is unpredictable, and a
/// wrong prediction takes longer than all of it.
private struct ShortRun {
    private let bytes: UInt128
    private let count: Int
    private let position: Position

    private enum Position { case beginning, middle, end }

    init(_ run: [UInt8], isFirst: Bool, isLast: Bool) {
        bytes = ShortText(run).bytes
        count = run.count
        position = isFirst ? .beginning : isLast ? .end : .middle
    }

    /// Whether the run is everywhere.
    var isEmpty: Bool { count == 0 }

    /// Returns the places behind the first one of the run that is among some places, and 0 if it is at none of them. Behind a run
    /// there is always one, because a text in place has at most 15 bytes.
    @inline(__always)
    func places(_ places: UInt128, in text: ShortText) -> UInt128 {
        switch position {
        case .beginning: text.count >= count && isAt(0, text) ? UInt128.max &<< bits(count) : 0
        case .middle: behind(places & found(in: text))
        case .end:
            text.count >= count && isAt(text.count &- count, text)
                && places &>> bits(text.count &- count) & 0x80 != 0 ? .max : 0
        }
    }

    /// Returns all places at which the run is.
    @inline(__always)
    private func found(in text: ShortText) -> UInt128 {
        let first = ShortText.places(of: UInt8(truncatingIfNeeded: bytes), in: text.bytes)
        return count == 1 ? first : confirmed(first, text)
    }

    @inline(never)
    private func confirmed(_ places: UInt128, _ text: ShortText) -> UInt128 {
        if count > text.count { return 0 }
        var places = places
        for index in 1..<count {
            let byte = UInt8(truncatingIfNeeded: bytes &>> bits(index))
            places &= ShortText.places(of: byte, in: text.bytes) &>> bits(index)
        }
        return places
    }

    /// Returns the places behind the run at the first of some places; none if there is none.
    @inline(__always)
    private func behind(_ places: UInt128) -> UInt128 {
        let first = places & (0 &- places)
        let above = ~(first ^ (first &- 1))
        return count == 1 ? above : above &<< bits(count &- 1)
    }

    @inline(__always)
    private func isAt(_ position: Int, _ text: ShortText) -> Bool {
        let difference = (text.bytes &>> bits(position)) ^ bytes
        return difference &<< bits(16 &- count) == 0
    }

    @inline(__always)
    private func bits(_ bytes: Int) -> UInt128 { UInt128(truncatingIfNeeded: bytes &* 8) }
}
