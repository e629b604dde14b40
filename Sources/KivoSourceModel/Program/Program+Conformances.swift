extension Program {
    /// The known result of a check whether a type conforms to one of some protocols.
    package enum Conformance {
        case yes, no
        /// A protocol, or a macro, that is not in these sources may add the conformance.
        case unknown
    }

    /// Protocols of the standard library and of Foundation that add no conformance to Kivo's protocols.
    package static let plainProtocols: Set<String> = [
        "Codable", "Decodable", "Encodable", "Hashable", "Equatable", "Comparable", "Sendable",
        "CaseIterable",
        "RawRepresentable", "CustomStringConvertible", "CustomDebugStringConvertible", "Error",
        "LocalizedError",
        "Identifiable", "Strideable", "OptionSet", "LosslessStringConvertible", "ExpressibleByStringLiteral",
        "ExpressibleByIntegerLiteral", "BitwiseCopyable", "CodingKey", "AnyObject", "String", "Int", "Int8",
        "Int16",
        "Int32", "Int64", "UInt", "UInt8", "UInt16", "UInt32", "UInt64", "Double", "Float", "Character",
        "Observable",
        "ObservableObject", "View", "NSObject", "Sequence", "Collection", "IteratorProtocol", "Any",
        "Escapable", "Copyable",
    ]

    package func conformance(of type: TypeDeclaration, to protocols: Set<String>) -> Conformance {
        var seen: Set<String> = []
        return conformance(of: type, to: protocols, &seen)
    }

    private func conformance(
        of type: TypeDeclaration, to protocols: Set<String>, _ seen: inout Set<String>
    ) -> Conformance {
        guard seen.insert(type.qualifiedName).inserted else { return .no }
        // A macro may add an extension.
        var result: Conformance = type.attributes.contains { $0.isCustom } ? .unknown : .no
        let parts = (types[type.qualifiedName] ?? [type]) + (extensions[type.qualifiedName] ?? [])
        for part in parts {
            for inherited in part.inherited {
                var entries = [inherited]
                if case .existential(let several) = inherited { entries = several }
                for entry in entries {
                    if let declaration = declaration(of: entry, in: part.outer ?? part), declaration !== type
                    {
                        switch conformance(of: declaration, to: protocols, &seen) {
                        case .yes: return .yes
                        case .unknown: result = .unknown
                        case .no: break
                        }
                    } else if let name = entry.path?.last {
                        if protocols.contains(name) { return .yes }
                        if !Self.plainProtocols.contains(name) { result = .unknown }
                    } else {
                        result = .unknown
                    }
                }
            }
        }
        return result
    }

    /// Whether an extension in these sources adds a conformance to an external type.
    package func isExtended(_ name: String, to protocols: Set<String>) -> Bool {
        (extensions[name] ?? []).contains { part in
            part.inherited.contains {
                $0.path?.last.map { protocols.contains($0) || types[$0] != nil } ?? false
            }
        }
    }
}
