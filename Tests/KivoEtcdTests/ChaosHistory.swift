import Foundation

/// The history that the clients of the chaos test recorded, beside what is there in the end.
struct ChaosHistory {
    private struct Write {
        let name: String
        let begin: UInt64
        let end: UInt64
        let position: Int
    }

    /// One sentence for each violation.
    private(set) var violations: [String] = []

    /// - Parameters:
    ///   - clients: For each client, what each of its starts said.
    ///   - found: The entries in the order of their positions.
    init(_ clients: [[[String]]], _ found: [(name: String, position: Int)]) {
        var positions: [String: Int] = [:]
        for (index, entry) in found.enumerated() {
            if entry.position != index + 1 {
                violations.append("entry \(entry.name) is at \(entry.position), where \(index + 1) is due")
            }
            if positions.updateValue(entry.position, forKey: entry.name) != nil {
                violations.append("entry \(entry.name) was carried out twice")
            }
        }
        var acknowledged: [Write] = []
        for lines in clients.joined() {
            var begins: [String: UInt64] = [:]
            var count = 0
            for line in lines {
                let words = line.split(separator: " ").map(String.init)
                switch (words.first, words.count) {
                case ("S", 3): begins[words[1]] = UInt64(words[2])
                case ("A", 4):
                    guard let position = positions[words[1]] else {
                        violations.append("\(words[1]) was acknowledged and is lost")
                        continue
                    }
                    // 0 if the client learned only later that it was carried out.
                    if words[2] != "0", Int(words[2]) != position {
                        violations.append("\(words[1]) was acknowledged at \(words[2]) and is at \(position)")
                    }
                    acknowledged.append(
                        Write(
                            name: words[1], begin: begins[words[1]] ?? 0, end: UInt64(words[3]) ?? 0,
                            position: position))
                case ("F", 2):
                    if positions[words[1]] != nil {
                        violations.append("\(words[1]) was reported as failed and is there")
                    }
                case ("R", 2):
                    let read = Int(words[1]) ?? 0
                    if read < count { violations.append("a client read \(read) after \(count)") }
                    if read > found.count { violations.append("a client read \(read) of \(found.count)") }
                    count = max(count, read)
                case ("X", _): violations.append(line)
                case ("U", 2): break
                default: violations.append("a client said '\(line)'")
                }
            }
        }
        checkOrder(acknowledged)
    }

    /// A write that began after another was acknowledged comes after it.
    private mutating func checkOrder(_ writes: [Write]) {
        let ends = writes.sorted { $0.end < $1.end }
        var next = 0
        var last: Write?
        for write in writes.sorted(by: { $0.begin < $1.begin }) {
            while next < ends.count, ends[next].end < write.begin {
                if ends[next].position > last?.position ?? 0 { last = ends[next] }
                next += 1
            }
            if let last, last.position > write.position {
                violations.append(
                    "\(write.name) began after \(last.name) had ended, and is at \(write.position) before it")
            }
        }
    }
}
