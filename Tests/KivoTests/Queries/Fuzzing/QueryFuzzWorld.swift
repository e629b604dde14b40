import Kivo

extension QueryFuzz {
    /// An object as it is: the values of its properties, of collections all of them, of maps keys and values
    /// in turn.
    struct Row {
        let id: Int
        let type: Class
        var cells: [[Value]]
    }

    /// Everything that a realm shows, read once.
    struct World {
        var rows: [Class: [Int]] = [:]
        var byID: [Int: Row] = [:]

        init(_ realm: Realm) {
            for thing in realm.objects(QueryFuzzThing.self) { add(thing, thing.id, .thing) }
            for holder in realm.objects(QueryFuzzHolder.self) { add(holder, holder.id, .holder) }
            for type in [Class.thing, .holder] { addOrigins(type) }
        }

        private mutating func add(_ object: Object, _ id: Int, _ type: Class) {
            rows[type, default: []].append(id)
            byID[id] = Row(id: id, type: type, cells: QueryFuzz.properties(type).map { $0.read(object) })
        }

        /// Fills in who refers to whom, in the order of the origins, as often as they do.
        private mutating func addOrigins(_ type: Class) {
            for (index, property) in QueryFuzz.properties(type).enumerated() {
                guard let name = property.origin, let origin = property.shape.target else { continue }
                let back = QueryFuzz.index(name, origin)
                for id in rows[origin] ?? [] {
                    for case .object(let target) in byID[id]!.cells[back] {
                        byID[target]!.cells[index].append(.object(id))
                    }
                }
            }
        }

        func all(_ type: Class) -> [Int] { rows[type] ?? [] }

        func cells(_ row: Row, _ property: Int) -> [Value] { row.cells[property] }

        /// The objects that a property leads to, each once or more.
        func targets(_ row: Row, _ property: Int) -> [Row] {
            row.cells[property].compactMap { $0.object.flatMap { byID[$0] } }
        }
    }
}
