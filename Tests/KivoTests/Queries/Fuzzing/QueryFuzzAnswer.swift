import Foundation
import Kivo
import XCTest

extension QueryFuzz {
    enum Change {
        case initial
        case update(deletions: [Int], insertions: [Int], modifications: [Int], current: [Int])
    }

    /// A real collection, by the numbers of its objects.
    struct Answer {
        let ids: () -> [Int]
        let count: () -> Int
        let isEmpty: () -> Bool
        let at: (Int) -> Int
        let first: () -> Int?
        let last: () -> Int?
        let index: (Int) -> Int?
        let frozen: () -> [Int]
        let observe: ([String]?, @escaping (Change) -> Void) -> NotificationToken
        /// The position of the first element for which a condition holds; nil if the condition cannot be said
        /// so.
        var matching: (Tree, Style) -> Int?? = { _, _ in nil }
        var aggregates: () -> [Value] = { [] }

        init<C: RealmCollection>(
            _ collection: C, _ id: @escaping (C.Element) -> Int, _ element: @escaping (Int) -> C.Element?
        ) {
            ids = { collection.map(id) }
            count = { collection.count }
            isEmpty = { collection.isEmpty }
            at = { id(collection[$0]) }
            first = { collection.first.map(id) }
            last = { collection.last.map(id) }
            index = { element($0).flatMap { collection.index(of: $0) } }
            frozen = { collection.freeze().map(id) }
            observe = { keyPaths, handler in
                collection.observe(keyPaths: keyPaths, on: nil) { change in
                    switch change {
                    case .initial: handler(.initial)
                    case .update(_, let deletions, let insertions, let modifications):
                        handler(
                            .update(
                                deletions: deletions, insertions: insertions, modifications: modifications,
                                current: change.currentModifications))
                    case .error(let error): XCTFail("\(error)")
                    }
                }
            }
        }
    }

    /// How a condition is said to the real thing.
    enum Style: CaseIterable { case text, fancyText, typed }

    /// Builds real queries in a realm.
    struct Builder {
        let realm: Realm

        /// The object of a number; an unmanaged one if it is gone.
        func object(_ id: Int) -> Object {
            if id % 2 == 1 {
                return realm.object(ofType: QueryFuzzHolder.self, forPrimaryKey: id) ?? QueryFuzzHolder()
            }
            return realm.objects(QueryFuzzThing.self).first { $0.id == id } ?? QueryFuzzThing()
        }

        func answer(_ chain: Chain, _ style: Style) -> Answer? {
            guard case .property(let id, let owner, let index) = chain.source else {
                if chain.type == .thing { return applied(realm.objects(QueryFuzzThing.self), chain, style) }
                return applied(realm.objects(QueryFuzzHolder.self), chain, style)
            }
            let object = object(id)
            guard object.realm != nil else { return nil }
            let name = QueryFuzz.properties(owner)[index].name
            if let thing = object as? QueryFuzzThing {
                switch name {
                case "things": return applied(thing.things, chain, style)
                case "linkedBy": return applied(thing.linkedBy, chain, style)
                case "inThings": return applied(thing.inThings, chain, style)
                default: return applied(thing.keepers, chain, style)
                }
            }
            let holder = unsafeDowncast(object, to: QueryFuzzHolder.self)
            switch name {
            case "things": return applied(holder.things, chain, style)
            case "set": return applied(holder.set, chain, style)
            case "owned": return applied(holder.owned, chain, style)
            default: return applied(holder.staff, chain, style)
            }
        }

        private func applied<C: RealmCollection>(_ collection: C, _ chain: Chain, _ style: Style) -> Answer
        where C.Element: QueryFuzzModel {
            guard let first = chain.steps.first else { return answer(collection) }
            var results = apply(first, to: collection, style)
            for step in chain.steps.dropFirst() { results = apply(step, to: results, style) }
            return answer(results)
        }

        private func answer<C: RealmCollection>(_ collection: C) -> Answer where C.Element: QueryFuzzModel {
            var answer = Answer(collection, { $0.id }, { object($0) as? C.Element })
            answer.matching = { tree, style in
                if style == .typed {
                    var isSaid = true
                    let index = collection.index(matching: { (query: Query<C.Element>) -> Query<Bool> in
                        let typed = Builder.typed(tree, query, self)
                        isSaid = typed != nil
                        return typed ?? (query.id == -1)
                    })
                    return isSaid ? .some(index) : nil
                }
                var writer = Writer(isFancy: style == .fancyText) { object($0) }
                let format = writer.text(tree)
                let arguments = writer.arguments
                switch arguments.count {
                case 0: return .some(collection.index(matching: format))
                case 1: return .some(collection.index(matching: format, arguments[0]))
                case 2: return .some(collection.index(matching: format, arguments[0], arguments[1]))
                default: return nil
                }
            }
            if C.Element.self == QueryFuzzThing.self {
                answer.aggregates = { Builder.aggregates(collection) }
            }
            return answer
        }

        private static func aggregates<C: RealmCollection>(_ collection: C) -> [Value]
        where C.Element: QueryFuzzModel {
            let properties = ["int", "optInt", "double", "optDouble", "date"]
            return properties.flatMap { name -> [Value] in
                switch name {
                case "date":
                    let (low, high): (Date?, Date?) = (
                        collection.min(ofProperty: name), collection.max(ofProperty: name)
                    )
                    return [Value(low), Value(high)]
                case "int", "optInt":
                    let (low, high): (Int?, Int?) = (
                        collection.min(ofProperty: name), collection.max(ofProperty: name)
                    )
                    let sum: Int = collection.sum(ofProperty: name)
                    return [Value(low), Value(high), .int(sum), Value(collection.average(ofProperty: name))]
                default:
                    let (low, high): (Double?, Double?) = (
                        collection.min(ofProperty: name), collection.max(ofProperty: name)
                    )
                    let sum: Double = collection.sum(ofProperty: name)
                    return [
                        Value(low), Value(high), .double(sum), Value(collection.average(ofProperty: name)),
                    ]
                }
            }
        }

        private func apply<C: RealmCollection>(_ step: Step, to collection: C, _ style: Style) -> Results<
            C.Element
        >
        where C.Element: QueryFuzzModel {
            switch step {
            case .sort(let keys):
                if keys.count == 1 {
                    return collection.sorted(
                        byKeyPath: keys[0].path.names.joined(separator: "."), ascending: keys[0].isAscending)
                }
                return collection.sorted(
                    by: keys.map {
                        Kivo.SortDescriptor(
                            keyPath: $0.path.names.joined(separator: "."), ascending: $0.isAscending)
                    })
            case .distinct(let paths):
                return collection.distinct(by: paths.map { $0.names.joined(separator: ".") })
            case .filter(let tree):
                if style == .typed {
                    var isSaid = true
                    let results = collection.where { query in
                        let typed = Builder.typed(tree, query, self)
                        isSaid = typed != nil
                        return typed ?? (query.id == -1)
                    }
                    if isSaid { return results }
                }
                return filter(collection, tree, style == .fancyText)
            }
        }

        private static func typed<Model: QueryFuzzModel>(
            _ tree: Tree, _ query: Query<Model>, _ builder: Builder
        ) -> Query<Bool>? {
            let typist = Typist { builder.object($0) }
            if let query = (query as Any) as? Query<QueryFuzzThing> {
                return typist.query(tree, .toThing(ObjectStep(query: query)))
            }
            let query = (query as Any) as! Query<QueryFuzzHolder>
            return typist.query(tree, .toHolder(ObjectStep(query: query)))
        }

        private func filter<C: RealmCollection>(
            _ collection: C, _ tree: Tree, _ isFancy: Bool
        ) -> Results<C.Element> where C.Element: QueryFuzzModel {
            var writer = Writer(isFancy: isFancy) { object($0) }
            let format = writer.text(tree)
            let a = writer.arguments
            switch a.count {
            case 0: return collection.filter(format)
            case 1: return collection.filter(format, a[0])
            case 2: return collection.filter(format, a[0], a[1])
            case 3: return collection.filter(format, a[0], a[1], a[2])
            case 4: return collection.filter(format, a[0], a[1], a[2], a[3])
            case 5: return collection.filter(format, a[0], a[1], a[2], a[3], a[4])
            case 6: return collection.filter(format, a[0], a[1], a[2], a[3], a[4], a[5])
            case 7: return collection.filter(format, a[0], a[1], a[2], a[3], a[4], a[5], a[6])
            case 8: return collection.filter(format, a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7])
            default: return collection.filter(format, a)
            }
        }
    }
}
