#if canImport(Glibc) || canImport(Musl) || canImport(Darwin)
import Kivo
import KivoEngine

extension StudioService {
    /// The commits before a number, the newest first.
    func commits(_ session: StudioSession, _ request: HTTPRequest) throws -> HTTPResponse {
        let before = request.count("before").map { UInt64($0) } ?? .max
        let found = try session.summaries(before: before, count: min(request.count("count") ?? 100, 500))
        return HTTPResponse(
            json: JSONText.line { json in
                json.member("hasMore", found.hasMore)
                json.name("commits")
                json.array { json in
                    for commit in found.commits {
                        json.object { commit.write(to: &$0) }
                    }
                }
            })
    }

    /// The objects that a commit changed, with their values before and after.
    func commit(_ session: StudioSession, _ request: HTTPRequest) throws -> HTTPResponse {
        guard let number = request.count("number") else {
            throw HTTPProblem(.badRequest, "The number is missing.")
        }
        let changes = try session.changes(of: UInt64(number), limit: 200)
        return HTTPResponse(
            json: JSONText.line { json in
                json.member("number", number)
                json.name("classes")
                json.array { json in
                    for change in changes.classes { json.object { change.write(to: &$0, .cell) } }
                }
            })
    }
}

extension CommitSummary {
    /// Writes the commit as members of a JSON object.
    func write(to json: inout JSONText) {
        json.member("number", Int(clamping: number))
        json.member("bytes", size)
        json.member("schemaVersion", schemaVersion.map { Int(clamping: $0) })
        json.members(of: stamp)
        json.name("classes")
        json.array { json in
            for some in classes {
                json.object { json in
                    json.member("name", some.name)
                    json.member("inserted", some.inserted)
                    json.member("modified", some.modified)
                    json.member("deleted", some.deleted)
                }
            }
        }
    }
}

extension CommitChanges.ClassChange {
    /// Writes the changes of a class as members of a JSON object for the page, which cuts long values.
    func write(to json: inout JSONText, _ limits: ValueLimits) {
        json.member("class", name)
        for (name, rows) in [("inserted", inserted), ("deleted", deleted)] {
            json.name(name)
            json.array { json in
                for row in rows {
                    json.object { json in
                        json.member("key", Int(row.key))
                        json.name("values")
                        json.object { json in
                            for value in row.values {
                                json.name(value.name)
                                json.cut(value.value, limits)
                            }
                        }
                    }
                }
            }
        }
        json.name("modified")
        json.array { json in
            for some in modified {
                json.object { json in
                    json.member("key", Int(some.key))
                    json.name("values")
                    json.object { json in
                        for value in some.values {
                            json.name(value.name)
                            json.array { json in
                                json.cut(value.old, limits)
                                json.cut(value.new, limits)
                            }
                        }
                    }
                    json.name("collections")
                    json.object { json in
                        for collection in some.collections {
                            json.member(collection.name, collection.changes.text)
                        }
                    }
                }
            }
        }
    }
}

extension JSONText {
    /// Writes a value, collections as in the cells of tables.
    fileprivate mutating func cut(_ value: StoredValue, _ limits: ValueLimits) {
        switch value {
        case .list(let values):
            object { json in
                json.member("count", values.count)
                json.name("first")
                json.array { json in
                    for value in values.prefix(limits.elements) { json.value(value, limits) }
                }
            }
        case .map(let entries):
            object { json in
                json.member("count", entries.count)
                json.name("first")
                json.array { json in
                    for entry in entries.prefix(limits.elements) {
                        json.array { json in
                            json.string(entry.key)
                            json.value(entry.value, limits)
                        }
                    }
                }
            }
        default: self.value(value, limits)
        }
    }
}
#endif
