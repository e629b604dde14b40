import XCTest

/// The strings and arrays of bytes that tests store. When all is destroyed, the pool has the only references to them
/// again: more would be leaks.
///
/// Not thread-safe.
final class ValuePool {
    private var strings: [String]
    private var bytes: [[UInt8]]

    init() {
        strings = (0..<40).map { number in
            if number % 4 == 0 { return "s\(number)" }
            var string = ""
            string.reserveCapacity(100)
            string += "a string of more than fifteen bytes, \(number)"
            return string
        }
        bytes = (0..<24).map { number in (0..<number % 5).map { UInt8($0 + number) } }
        // On both sides of the size beyond which values have pages of their own.
        for size in [4095, 4096, 4097, 5000] {
            strings.append(String(decoding: Array(repeating: UInt8(ascii: "l"), count: size), as: UTF8.self))
            bytes.append(Array(repeating: 7, count: size))
        }
    }

    func string(_ random: inout TestRandom) -> String { strings[random.below(strings.count)] }

    func bytes(_ random: inout TestRandom) -> [UInt8] { bytes[random.below(bytes.count)] }

    /// Checks that a value is referenced only here: a shared value is not changed in place, but copied.
    func checkOwnership(file: StaticString = #filePath, line: UInt = #line) {
        var shared: [String] = []
        for index in strings.indices where strings[index].utf8.count > 15 {
            let before = address(strings[index])
            strings[index].append("!")
            if address(strings[index]) != before { shared.append("string \(index)") }
            strings[index].removeLast()
        }
        for index in bytes.indices where !bytes[index].isEmpty {
            let before = bytes[index].withUnsafeBufferPointer { UnsafeRawPointer($0.baseAddress) }
            let after = bytes[index].withUnsafeMutableBufferPointer { UnsafeRawPointer($0.baseAddress) }
            if after != before { shared.append("bytes \(index)") }
        }
        XCTAssertEqual(shared, [], "values are leaked", file: file, line: line)
    }

    private func address(_ string: String) -> UnsafeRawPointer? {
        string.utf8.withContiguousStorageIfAvailable { UnsafeRawPointer($0.baseAddress) } ?? nil
    }
}
