/// A map from tokens to numbers. The tokens are close together, so they are grouped in pages: a token costs four bytes and no
/// hash entry of its own. A page is freed with its last token.
struct TokenNumbers {
    private struct Page {
        var numbers = [Int32](repeating: TokenNumbers.none, count: TokenNumbers.pageSize)
        var count = 0

        mutating func set(_ slot: Int, _ number: Int32) {
            if numbers[slot] == TokenNumbers.none { count += 1 }
            numbers[slot] = number
        }
    }

    private static let none: Int32 = -1
    private static let pageBits: Int64 = 8
    private static let pageSize = 1 << 8

    private var pages: [Int64: Page] = [:]

    /// The number of a token, or nil. O(1).
    subscript(token: Int64) -> Int? {
        guard let number = pages[token >> TokenNumbers.pageBits]?.numbers[TokenNumbers.slot(token)] else {
            return nil
        }
        return number == TokenNumbers.none ? nil : Int(number)
    }

    /// Assigns a token a number, which must not be negative. O(1).
    mutating func set(_ token: Int64, to number: Int) {
        pages[token >> TokenNumbers.pageBits, default: Page()].set(TokenNumbers.slot(token), Int32(number))
    }

    /// Removes a token's number, if there is one. O(1).
    mutating func remove(_ token: Int64) {
        guard let index = pages.index(forKey: token >> TokenNumbers.pageBits),
            pages.values[index].numbers[TokenNumbers.slot(token)] != TokenNumbers.none
        else { return }
        pages.values[index].numbers[TokenNumbers.slot(token)] = TokenNumbers.none
        pages.values[index].count -= 1
        if pages.values[index].count == 0 { pages.remove(at: index) }
    }

    private static func slot(_ token: Int64) -> Int { Int(truncatingIfNeeded: token) & (pageSize - 1) }
}
