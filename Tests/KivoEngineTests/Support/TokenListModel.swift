import KivoEngine

/// The bookkeeping of list changes done the slow and obvious way: one token for each element.
struct TokenListModel {
    struct Token {
        var old: Int?
        var serial: Int
        var isReplaced = false
    }

    enum Operation {
        case insert(at: Int, count: Int)
        case remove(at: Int, count: Int)
        case replace(Int)
        case move(from: Int, to: Int)
        case swap(Int, Int)
        case clear
    }

    let oldCount: Int
    private(set) var tokens: [Token]
    private(set) var isCleared = false
    /// The serials of the moved tokens in the sequence of their first moves.
    private var movedSerials: [Int] = []
    private var nextSerial: Int

    init(oldCount: Int) {
        self.oldCount = oldCount
        tokens = (0..<oldCount).map { Token(old: $0, serial: $0) }
        nextSerial = oldCount
    }

    mutating func apply(_ operation: Operation) {
        switch operation {
        case .insert(let index, let count):
            for offset in 0..<count {
                tokens.insert(Token(old: nil, serial: nextSerial), at: index + offset)
                nextSerial += 1
                isCleared = false
            }
        case .remove(let index, let count):
            tokens.removeSubrange(index..<index + count)
        case .replace(let index):
            tokens[index].isReplaced = true
        case .move(let from, let to):
            move(from, to)
        case .swap(let a, let b):
            move(max(a, b), min(a, b))
            if max(a, b) > min(a, b) + 1 {
                move(min(a, b) + 1, max(a, b))
            }
        case .clear:
            isCleared = isCleared || !tokens.isEmpty
            tokens = []
        }
    }

    private mutating func move(_ from: Int, _ to: Int) {
        guard from != to else { return }
        let token = tokens.remove(at: from)
        tokens.insert(token, at: to)
        if token.old != nil && !movedSerials.contains(token.serial) {
            movedSerials.append(token.serial)
        }
    }

    /// Sections 1 to 4 of the rules, as they are written.
    func resolve() -> CollectionChanges {
        let moved = Set(movedSerials)
        let unmoved = Set(tokens.filter { !moved.contains($0.serial) }.compactMap { $0.old })
        var deletions = Set(0..<oldCount).subtracting(unmoved)
        var insertions = Set(
            tokens.indices.filter { tokens[$0].old == nil || moved.contains(tokens[$0].serial) })
        var moves: [CollectionChanges.Move] = []
        for serial in movedSerials {
            guard let position = tokens.firstIndex(where: { $0.serial == serial }),
                let old = tokens[position].old
            else { continue }
            let before = deletions.count { $0 < old }
            let after = insertions.count { $0 < position }
            if old - before == position - after {
                deletions.remove(old)
                insertions.remove(position)
            } else {
                moves.append(.init(from: old, to: position))
            }
        }
        var changes = CollectionChanges()
        changes.deletions = deletions.sorted()
        changes.insertions = insertions.sorted()
        changes.modifications = tokens.indices.filter {
            !insertions.contains($0) && tokens[$0].isReplaced
        }
        changes.modificationsOld = changes.modifications.map { tokens[$0].old! }
        changes.moves = moves
        changes.isCleared = isCleared
        return changes
    }
}

extension SequenceChange {
    mutating func apply(_ operation: TokenListModel.Operation) {
        switch operation {
        case .insert(let index, let count): insert(at: index, count: count)
        case .remove(let index, let count): remove(at: index, count: count)
        case .replace(let index): replace(at: index)
        case .move(let from, let to): move(from: from, to: to)
        case .swap(let a, let b): swapAt(a, b)
        case .clear: removeAll()
        }
    }
}
