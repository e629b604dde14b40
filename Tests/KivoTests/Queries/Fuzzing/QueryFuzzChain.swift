import Foundation
import Kivo

extension QueryFuzz {
    enum Source: Sendable {
        case all
        /// A property of an object, by its number.
        case property(Int, Class, Int)
    }

    enum Step: Sendable {
        case filter(Tree)
        case sort([(path: Path, isAscending: Bool)])
        case distinct([Path])
    }

    /// A source and what is done with its elements one after the other.
    struct Chain: Sendable {
        var source: Source
        var type: Class
        var steps: [Step]

        /// Whether an element can be there twice.
        var hasDuplicates: Bool {
            guard case .property(_, let owner, let index) = source else { return false }
            if steps.contains(where: { if case .distinct = $0 { true } else { false } }) { return false }
            if case .objects(_, let isList, let isLinking) = QueryFuzz.properties(owner)[index].shape {
                return isList || isLinking
            }
            return true
        }

        var text: String {
            let source: String =
                switch source {
                case .all: "\(type)s"
                case .property(let id, let owner, let index):
                    "\(owner) \(id).\(QueryFuzz.properties(owner)[index].name)"
                }
            return source
                + steps.map { step in
                    switch step {
                    case .filter(let tree):
                        var writer = Writer(isFancy: false) { _ in QueryFuzzThing() }
                        let format = writer.text(tree)
                        return ".filter(\(([format] + writer.texts).joined(separator: ", ")))"
                    case .sort(let keys):
                        let names = keys.map {
                            ($0.isAscending ? "" : "-") + $0.path.names.joined(separator: ".")
                        }
                        return ".sorted(\(names.joined(separator: ", ")))"
                    case .distinct(let paths):
                        return
                            ".distinct(\(paths.map { $0.names.joined(separator: ".") }.joined(separator: ", ")))"
                    }
                }.joined()
        }
    }
}

extension QueryFuzz.World {
    /// Returns the expected answer of a chain: the numbers of the objects.
    func answer(_ chain: QueryFuzz.Chain) -> [Int] {
        var ids: [Int]
        switch chain.source {
        case .all: ids = all(chain.type)
        case .property(let owner, _, let index):
            guard let row = byID[owner] else { return [] }
            ids = cells(row, index).compactMap(\.object)
        }
        for case .filter(let tree) in chain.steps { ids = ids.filter { holds(tree, byID[$0]!) } }
        for step in chain.steps {
            switch step {
            case .filter: break
            case .sort(let keys): ids = sorted(ids, keys)
            case .distinct(let paths):
                var seen: [[Value]] = []
                ids = ids.filter { id in
                    // An element with a nil link on the way to a value is in no group.
                    if paths.contains(where: { values($0, byID[id]!).isEmpty }) { return false }
                    let group = paths.map { single($0, id) }
                    let isKnown = seen.contains { zip($0, group).allSatisfy { Value.compare($0, $1) == 0 } }
                    if !isKnown { seen.append(group) }
                    return !isKnown
                }
            }
        }
        return ids
    }

    private func sorted(_ ids: [Int], _ keys: [(path: QueryFuzz.Path, isAscending: Bool)]) -> [Int] {
        // Nil where a link on the way is null.
        let entries = ids.map { id in (id, keys.map { values($0.path, byID[id]!).first }) }
        // The standard library's sort is stable.
        return entries.sorted { a, b in
            for (index, key) in keys.enumerated() {
                let result =
                    switch (a.1[index], b.1[index]) {
                    case (let x?, let y?): Value.compare(x, y)
                    case (nil, nil): 0
                    case (_?, nil): -1
                    case (nil, _): 1
                    }
                if result != 0 { return key.isAscending ? result < 0 : result > 0 }
            }
            return false
        }.map(\.0)
    }

    func single(_ path: QueryFuzz.Path, _ id: Int) -> Value { values(path, byID[id]!).first ?? .null }
}

extension QueryFuzz.Generator {
    mutating func chain(_ source: QueryFuzz.Source, _ type: QueryFuzz.Class) -> QueryFuzz.Chain {
        var chain = QueryFuzz.Chain(source: source, type: type, steps: [])
        for _ in 0..<(1 + random.below(4)) {
            switch random.below(7) {
            case 0..<3: chain.steps.append(.filter(tree(type, depth: 2)))
            case 3..<5:
                chain.steps.append(
                    .sort(
                        (0..<(1 + random.below(2))).map { _ in
                            (singlePath(type, isGrouping: false), random.chance(60))
                        }))
            case 5:
                chain.steps.append(
                    .distinct((0..<(1 + random.below(2))).map { _ in singlePath(type, isGrouping: true) }))
            default: break
            }
        }
        if chain.steps.isEmpty, random.chance(70) { chain.steps.append(.filter(tree(type, depth: 1))) }
        return chain
    }
}
