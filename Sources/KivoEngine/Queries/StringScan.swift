/// A scan of a column of strings by a kernel.
///
/// Strings in place are tested by their words, others by their bytes in memory. No reference is counted. Strings that a folding
/// changes beyond ASCII are read and tested one by one, like all strings where their layout is unknown.
struct StringScan<Kernel: StringKernel> {
    let kernel: Kernel
    /// The folding of strings before they are tested; nil for none.
    let folding: TextTest.Folding?
    /// The meaning, for null and for strings that the kernel cannot test.
    let test: ValueTest
    private let holdsForNull: Bool
    private let layout = StringLayout.current
    private let filter: ByteFilter?

    init(_ kernel: Kernel, _ folding: TextTest.Folding?, _ test: ValueTest) {
        self.kernel = kernel
        self.folding = folding
        self.test = test
        holdsForNull = test.holds(.null)
        filter = kernel.filter
    }

    /// Returns the candidates that pass. Slots without a row hold the words of removed strings, so only candidates may be read
    /// beyond their words.
    func matches(_ buffer: ColumnBuffer, _ candidates: Bits256) -> Bits256 {
        guard layout.isKnown else { return matchesOneByOne(buffer, candidates) }
        switch folding?.ascii {
        case nil: return matches(buffer, candidates) { kernel.holds(ShortText($0)) ? .yes : .no }
        case .unchanged:
            return matches(buffer, candidates) {
                $0.isASCII ? kernel.holds(ShortText($0)) ? .yes : .no : .unsure
            }
        case .lowercase:
            // Few strings pass the test of their blurred bytes, so that few are put in lower case.
            return matches(buffer, candidates) {
                guard $0.isASCII else { return .unsure }
                let text = ShortText($0)
                guard kernel.mayHold(blurred: ShortText.blurred(text.bytes)) else { return .no }
                return kernel.holds(text.lowercased) ? .yes : .no
            }
        }
    }

    private enum Answer { case yes, no, unsure }

    @inline(__always)
    private func matches(
        _ buffer: ColumnBuffer, _ candidates: Bits256, _ holds: (StringBits) -> Answer
    ) -> Bits256 {
        let words = buffer.data.assumingMemoryBound(to: (UInt64, UInt64).self)
        var result = Bits256()
        for index in 0..<(buffer.capacity + 63) >> 6 {
            var wanted = candidates[word: index]
            let slots = UnsafeBufferPointer(
                start: words + index &* 64, count: min(64, buffer.capacity &- index &* 64))
            if let filter, wanted.nonzeroBitCount > 16 {
                wanted &= filter.candidates(slots, folding?.ascii)
            }
            var (matches, unsure): (UInt64, UInt64) = (0, 0)
            @inline(__always)
            func test(_ slot: Int) {
                let (low, high) = slots[slot]
                let bits = StringBits(low: low, high: high)
                let answer = holds(bits)
                matches |= (bits.isInPlace && answer == .yes ? 1 : 0) &<< UInt64(slot)
                unsure |= (!bits.isInPlace || answer == .unsure ? 1 : 0) &<< UInt64(slot)
            }
            if wanted.nonzeroBitCount > 32 {
                for slot in slots.indices { test(slot) }
            } else {
                var rest = wanted
                while rest != 0 {
                    test(rest.trailingZeroBitCount)
                    rest &= rest &- 1
                }
            }
            matches &= wanted
            unsure &= wanted
            while unsure != 0 {
                let slot = unsure.trailingZeroBitCount
                unsure &= unsure &- 1
                if self.holds(buffer, index &* 64 &+ slot) { matches |= 1 &<< UInt64(slot) }
            }
            result[word: index] = matches
        }
        return result
    }

    /// Returns whether a slot passes that a kernel cannot test by its words.
    @inline(never)
    private func holds(_ buffer: ColumnBuffer, _ slot: Int) -> Bool {
        let (low, high) = buffer.data.assumingMemoryBound(to: (UInt64, UInt64).self)[slot]
        if high == 0 { return holdsForNull }
        if let large = buffer.large(slot, .string) {
            return folding == nil ? kernel.answerForLarge ?? test.holds(large.cell) : test.holds(large.cell)
        }
        let bits = StringBits(low: low, high: high)
        guard bits.isElsewhere, let storage = bits.storage else {
            return test.holds(buffer.cell(slot, .string))
        }
        guard let folding else { return kernel.holds(storage) }
        guard storage.allSatisfy({ $0 < 0x80 }) else { return test.holds(buffer.cell(slot, .string)) }
        if folding.ascii == .unchanged { return kernel.holds(storage) }
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: storage.count) { lowercased in
            for (index, byte) in storage.enumerated() {
                let isUpper = byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z")
                lowercased.initializeElement(at: index, to: isUpper ? byte | 0x20 : byte)
            }
            return kernel.holds(UnsafeBufferPointer(lowercased))
        }
    }

    private func matchesOneByOne(_ buffer: ColumnBuffer, _ candidates: Bits256) -> Bits256 {
        var result = Bits256()
        candidates.forEach { slot in
            if let answer = kernel.answerForLarge, folding == nil, buffer.large(slot, .string) != nil {
                if answer { result.insert(slot) }
            } else if test.holds(buffer.cell(slot, .string)) {
                result.insert(slot)
            }
        }
        return result
    }
}

extension TextTest {
    /// Returns a scan of a column of strings, or nil if the test is about bytes.
    func scan(_ column: Int) -> LeafScan? {
        guard isString else { return nil }
        return switch `operator` {
        case .order(.equal): scan(column, EqualKernel(needle, isInverted: false))
        case .order(.notEqual): scan(column, EqualKernel(needle, isInverted: true))
        case .order(.less): scan(column, OrderKernel(needle, includesEqual: false, isInverted: false))
        case .order(.lessOrEqual): scan(column, OrderKernel(needle, includesEqual: true, isInverted: false))
        case .order(.greater): scan(column, OrderKernel(needle, includesEqual: true, isInverted: true))
        case .order(.greaterOrEqual):
            scan(column, OrderKernel(needle, includesEqual: false, isInverted: true))
        case .begins where needle.isEmpty, .ends where needle.isEmpty, .contains where needle.isEmpty:
            { _, _ in Bits256() }
        case .begins: scan(column, BeginKernel(needle))
        case .ends: scan(column, EndKernel(needle))
        case .contains: scan(column, PartKernel(needle))
        case .like: scan(column, like: PatternKernel(pattern))
        }
    }

    private func scan(_ column: Int, like kernel: PatternKernel) -> LeafScan {
        RunsKernel(kernel).map { scan(column, $0) } ?? scan(column, kernel)
    }

    private func scan(_ column: Int, _ kernel: some StringKernel) -> LeafScan {
        let scan = StringScan(kernel, folding, .text(self))
        return { leaf, candidates in scan.matches(leaf.column(column), candidates) }
    }
}
