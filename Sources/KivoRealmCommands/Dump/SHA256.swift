/// A SHA-256 hash, for values that are too long to print.
struct SHA256 {
    private var state: [UInt32] = [
        0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab,
        0x5be0_cd19,
    ]
    /// The bytes that do not fill a block yet.
    private var rest: [UInt8] = []
    private var count: UInt64 = 0
    private var schedule = [UInt32](repeating: 0, count: 64)

    private static let blockSize = 64

    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        count += UInt64(bytes.count)
        var position = 0
        if !rest.isEmpty {
            position = min(SHA256.blockSize - rest.count, bytes.count)
            rest.append(contentsOf: bytes[..<position])
            guard rest.count == SHA256.blockSize else { return }
            let block = rest
            block.withUnsafeBytes { hash($0) }
            rest.removeAll(keepingCapacity: true)
        }
        let blocks = (bytes.count - position) / SHA256.blockSize * SHA256.blockSize
        hash(UnsafeRawBufferPointer(rebasing: bytes[position..<position + blocks]))
        rest.append(contentsOf: bytes[(position + blocks)...])
    }

    /// Returns the 32 bytes of the hash. No bytes can be added afterwards.
    consuming func finish() -> [UInt8] {
        var end = rest
        end.append(0x80)
        while end.count % SHA256.blockSize != 56 { end.append(0) }
        let bits = count * 8
        for shift in stride(from: UInt64(56), through: 0, by: -8) {
            end.append(UInt8(truncatingIfNeeded: bits >> shift))
        }
        end.withUnsafeBytes { hash($0) }
        return state.flatMap { word in [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> $0) } }
    }

    /// Adds a number of whole blocks.
    private mutating func hash(_ blocks: UnsafeRawBufferPointer) {
        SHA256.constants.withUnsafeBufferPointer { constants in
            state.withUnsafeMutableBufferPointer { state in
                schedule.withUnsafeMutableBufferPointer { schedule in
                    for start in stride(from: 0, to: blocks.count, by: SHA256.blockSize) {
                        SHA256.hash(blocks, at: start, constants, &schedule, &state)
                    }
                }
            }
        }
    }

    @inline(__always)
    private static func hash(
        _ bytes: UnsafeRawBufferPointer, at start: Int, _ constants: UnsafeBufferPointer<UInt32>,
        _ w: inout UnsafeMutableBufferPointer<UInt32>, _ state: inout UnsafeMutableBufferPointer<UInt32>
    ) {
        for index in 0..<16 {
            w[index] = UInt32(
                bigEndian: bytes.loadUnaligned(fromByteOffset: start + 4 * index, as: UInt32.self))
        }
        for index in 16..<64 {
            let early = w[index - 15]
            let late = w[index - 2]
            w[index] =
                w[index - 16] &+ (rotate(early, 7) ^ rotate(early, 18) ^ early >> 3) &+ w[index - 7]
                &+ (rotate(late, 17) ^ rotate(late, 19) ^ late >> 10)
        }
        var (a, b, c, d) = (state[0], state[1], state[2], state[3])
        var (e, f, g, h) = (state[4], state[5], state[6], state[7])
        for index in 0..<64 {
            let first =
                h &+ (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) &+ (e & f ^ ~e & g) &+ constants[index]
                &+ w[index]
            let second = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) &+ (a & b ^ a & c ^ b & c)
            (h, g, f, e) = (g, f, e, d &+ first)
            (d, c, b, a) = (c, b, a, first &+ second)
        }
        state[0] &+= a
        state[1] &+= b
        state[2] &+= c
        state[3] &+= d
        state[4] &+= e
        state[5] &+= f
        state[6] &+= g
        state[7] &+= h
    }

    @inline(__always)
    private static func rotate(_ word: UInt32, _ bits: UInt32) -> UInt32 {
        word &>> bits | word &<< (32 - bits)
    }

    private static let constants: [UInt32] = [
        0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4,
        0xab1c_5ed5,
        0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7,
        0xc19b_f174,
        0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc,
        0x76f9_88da,
        0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351,
        0x1429_2967,
        0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e,
        0x9272_2c85,
        0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585,
        0x106a_a070,
        0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f,
        0x682e_6ff3,
        0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7,
        0xc671_78f2,
    ]
}
