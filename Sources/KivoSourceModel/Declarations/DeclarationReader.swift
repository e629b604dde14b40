/// A reader that creates declarations from the parser's dump of one file.
struct DeclarationReader {
    let file: SourceFile
    private var source: SourceText { file.source }

    static func read(_ source: SourceText, _ dump: DumpNode) -> SourceFile {
        let file = SourceFile(source: source, blocks: ConditionalBlocks(source))
        DeclarationReader(file: file).readItems(dump.nodes("items"))
        return file
    }

    private func readItems(_ nodes: [DumpNode]) {
        var statements: [DumpNode] = []
        for node in nodes {
            switch node.kind {
            case "import_decl": readImport(node)
            case "class_decl", "struct_decl", "enum_decl", "actor_decl", "protocol", "extension_decl":
                readType(node, outer: nil, isLocal: false)
            case "typealias": file.aliases.append(alias(node))
            case "func_decl": _ = function(node, owner: nil)
            case "top_level_code_decl": statements.append(node)
            case "pattern_binding_decl", "var_decl": statements.append(node)
            default: break
            }
        }
        guard !statements.isEmpty else { return }
        // The statements of a file form one body: later statements can use the bindings of earlier ones.
        let reader = ExpressionReader(source: source, range: (0, source.bytes.count))
        let expressions = statements.compactMap { reader.expression($0) }
        finish(reader, expressions, parameters: [], owner: nil)
    }

    /// Adds a body, and reads the types that are declared in it.
    @discardableResult
    private func finish(
        _ reader: ExpressionReader, _ expressions: [Expression], parameters: [Binding],
        owner: TypeDeclaration?, tokens: Range<Int> = 0..<0
    ) -> FunctionBody {
        let body = FunctionBody(
            owner: owner, parameters: parameters, bindings: reader.bindings, expressions: expressions,
            tokens: tokens)
        file.bodies.append(body)
        for node in reader.localTypes { readType(node, outer: owner, isLocal: true) }
        return body
    }

    private func readImport(_ node: DumpNode) {
        guard let range = node.range, case .list(let names)? = node["module_path"] else { return }
        let path = names.compactMap { value -> String? in
            if case .string(let name) = value { return name }
            return nil
        }
        guard let first = path.first else { return }
        var index = source.tokenIndex(from: range.start)
        let last = source.tokenIndex(from: range.end)
        while index < last, source.text(of: source.tokens[index]) != first { index += 1 }
        guard index < source.tokens.count else { return }
        file.imports.append(
            ImportDeclaration(
                path: path, nameRange: source.tokens[index].range,
                range: range.start..<source.tokens[last].end,
                conditions: file.blocks.conditions(at: range.start)))
    }

    private func alias(_ node: DumpNode) -> AliasDeclaration {
        var type: TypeSyntax?
        if let range = node.range {
            var index = source.tokenIndex(from: range.start)
            let end = source.tokenIndex(from: range.end)
            while index < end, !source.matches(index, "=") { index += 1 }
            type = TypeParser.type(in: source, at: index + 1)?.type
        }
        return AliasDeclaration(name: node.name ?? "", isGeneric: node["generic_params"] != nil, type: type)
    }

    private func readType(_ node: DumpNode, outer: TypeDeclaration?, isLocal: Bool) {
        guard let range = node.range else { return }
        let kind: TypeDeclaration.Kind =
            switch node.kind {
            case "class_decl": .class
            case "struct_decl": .struct
            case "enum_decl": .enum
            case "actor_decl": .actor
            case "protocol": .protocol
            default: .extension
            }
        // The name follows the keyword; for an extension it is the whole extended type.
        let name = source.tokenIndex(from: range.start) + 1
        guard name < source.tokens.count else { return }
        var path = outer?.path ?? []
        if kind == .extension {
            path = TypeParser.type(in: source, at: name)?.type.path ?? [node.string("extended_type") ?? ""]
        } else {
            path.append(node.name ?? source.name(of: source.tokens[name]))
        }
        let type = TypeDeclaration(
            kind: kind, source: source, path: path, outer: outer, keyword: range.start,
            nameOffset: source.tokens[name].start, range: range,
            header: TypeHeader(source, from: name + 1), attributes: attributes(node),
            isGeneric: node["generic_params"] != nil, isLocal: isLocal || (outer?.isLocal ?? false),
            conditions: file.blocks.conditions(at: range.start))
        file.types.append(type)
        readMembers(node.nodes("members"), of: type)
    }

    private func readMembers(_ nodes: [DumpNode], of type: TypeDeclaration) {
        // The dump has a variable's attributes in the variable's node, and its type and value in the binding before it.
        var binding: DumpNode?
        var group: [DumpNode] = []
        func finishGroup() {
            if let binding { readProperties(binding, group, of: type) }
            binding = nil
            group = []
        }
        for node in nodes {
            if let start = node.range?.start, file.blocks.conditions(at: start) != type.conditions {
                type.hasConditionalMembers = true
            }
            if node.kind == "var_decl" {
                group.append(node)
                continue
            }
            finishGroup()
            switch node.kind {
            case "pattern_binding_decl": binding = node
            case "class_decl", "struct_decl", "enum_decl", "actor_decl", "protocol", "extension_decl":
                readType(node, outer: type, isLocal: false)
            case "typealias": type.aliases.append(alias(node))
            case "func_decl", "constructor_decl", "destructor_decl", "subscript_decl":
                if let function = function(node, owner: type) { type.functions.append(function) }
            default: break
            }
        }
        finishGroup()
    }

    /// Reads the variables that a declaration binds.
    private func readProperties(_ binding: DumpNode, _ variables: [DumpNode], of type: TypeDeclaration) {
        guard let range = binding.range else { return }
        let last = source.tokenIndex(from: range.end)
        guard last < source.tokens.count else { return }
        let entries = binding.nodes("pattern_entries")
        for variable in variables where !variable.isTrue("implicit") {
            guard let offset = variable.range?.start, let name = variable.name else { continue }
            let nameIndex = source.tokenIndex(from: offset)
            var property = PropertyDeclaration(
                name: name, nameOffset: offset, attributes: attributes(variable),
                isLet: variable.isTrue("let"),
                isStatic: variable.isTrue("static"), isComputed: false, isGrouped: variables.count > 1,
                range: range.start..<source.tokens[last].end, keyword: range.start,
                conditions: file.blocks.conditions(at: offset))
            let start = property.attributes.map(\.range.lowerBound).min() ?? range.start
            property.range = min(start, range.start)..<property.range.upperBound
            var index = nameIndex + 1
            if source.matches(index, ":"), let (syntax, end) = TypeParser.type(in: source, at: index + 1) {
                property.type = syntax
                property.typeRange = source.tokens[index + 1].start..<source.tokens[end - 1].end
                index = end
            }
            let entry = entries.first { $0.node("pattern").flatMap(ExpressionReader.patternName) == name }
            if source.matches(index, "="), let initial = entry?.node("original_init") {
                // The value ends before the comma that precedes the next variable's name.
                let next = variables.compactMap { $0.range?.start }.filter { $0 > offset }.min()
                let valueLast = next.map { source.tokenIndex(from: $0) - 2 } ?? last
                let valueEnd = endOfValue(from: index + 1, to: valueLast)
                property.valueRange = source.tokens[index + 1].start..<valueEnd
                let reader = ExpressionReader(
                    source: source, range: (source.tokens[index + 1].start, source.tokens[last].start))
                if let value = reader.expression(initial) {
                    property.value = value
                    finish(reader, [value], parameters: [], owner: type)
                }
                index = source.tokenIndex(from: valueEnd)
            }
            let accessors = variable.nodes("accessors")
            property.isComputed = accessors.contains {
                $0.isTrue("get") || $0.isTrue("_read") || $0.isTrue("read")
            }
            for accessor in accessors {
                guard let body = readBody(accessor, parameters: [], owner: type) else { continue }
                guard let kind = Self.kind(ofAccessor: accessor) else { continue }
                property.accessors.append(
                    AccessorDeclaration(kind: kind, brace: body.tokens.lowerBound, body: body))
            }
            type.properties.append(property)
        }
    }

    private static func kind(ofAccessor node: DumpNode) -> AccessorDeclaration.Kind? {
        if node.isTrue("get") { return .get }
        if node.isTrue("set") { return .set }
        if node.isTrue("willSet") { return .willSet }
        return node.isTrue("didSet") ? .didSet : nil
    }

    /// Returns the offset after a default value that begins at a token. It ends before a brace that opens observers, or after the
    /// last token.
    private func endOfValue(from index: Int, to last: Int) -> Int {
        var token = index
        var end = source.tokens[index].end
        while token <= last {
            guard source.tokens[token].kind == .opening else {
                end = max(end, source.tokens[token].end)
                token += 1
                continue
            }
            // Other braces belong to closures.
            if source.matches(token, "{"), token > index,
                source.matches(token + 1, "didSet") || source.matches(token + 1, "willSet")
            {
                break
            }
            token = source.index(afterBracketAt: token)
            end = max(end, source.tokens[min(token, source.tokens.count) - 1].end)
        }
        return end
    }

    private func function(_ node: DumpNode, owner: TypeDeclaration?) -> FunctionDeclaration? {
        guard let range = node.range else { return nil }
        let last = source.tokenIndex(from: range.end)
        guard last < source.tokens.count else { return nil }
        let attributes = attributes(node)
        let parameters = parameters(node)
        readDefaults(node, owner: owner)
        var body: FunctionBody?
        if node.kind == "subscript_decl" {
            for accessor in node.nodes("accessors") {
                readBody(accessor, parameters: parameters, owner: owner)
            }
        } else {
            body = readBody(node, parameters: parameters, owner: owner)
        }
        let start = min(range.start, attributes.map(\.range.lowerBound).min() ?? range.start)
        let nameIndex = source.tokenIndex(from: range.start) + 1
        return FunctionDeclaration(
            name: node.name ?? "", nameOffset: source.tokens[min(nameIndex, last)].start,
            attributes: attributes,
            isStatic: node.isTrue("static"), hasParameters: !parameters.isEmpty,
            range: start..<source.tokens[last].end, body: body,
            conditions: file.blocks.conditions(at: range.start))
    }

    @discardableResult
    private func readBody(_ node: DumpNode, parameters: [Binding], owner: TypeDeclaration?) -> FunctionBody? {
        guard let body = node.node("body"), let range = body.range else { return nil }
        let reader = ExpressionReader(source: source, range: range)
        let expressions = body.nodes("elements").compactMap { reader.expression($0) }
        let tokens = source.tokenIndex(from: range.start)..<source.tokenIndex(afterTokenAt: range.end)
        return finish(reader, expressions, parameters: parameters, owner: owner, tokens: tokens)
    }

    /// Reads the default values of a function's parameters.
    private func readDefaults(_ node: DumpNode, owner: TypeDeclaration?) {
        guard let list = node.node("params"), let range = list.range else { return }
        let reader = ExpressionReader(source: source, range: range)
        let values = list.nodes("params").compactMap { reader.expression($0) }
        if !values.isEmpty { finish(reader, values, parameters: [], owner: owner) }
    }

    /// Returns the parameters of a function, with their types.
    private func parameters(_ node: DumpNode) -> [Binding] {
        guard let list = node.node("params"), let range = list.range else { return [] }
        let end = source.tokenIndex(from: range.end)
        var index = source.tokenIndex(from: range.start) + 1
        var parameters: [Binding] = []
        while index < end {
            // `label name: Type = value`
            while index < end, !source.matches(index, ":") { index += 1 }
            guard index < end else { break }
            let name = source.name(of: source.tokens[index - 1])
            let type = TypeParser.type(in: source, at: index + 1)
            parameters.append(Binding(name: name, type: type?.type, value: nil))
            index = type?.end ?? index + 1
            while index < end, !source.matches(index, ",") {
                index =
                    source.tokens[index].kind == .opening ? source.index(afterBracketAt: index) : index + 1
            }
            index += 1
        }
        return parameters
    }

    private func attributes(_ node: DumpNode) -> [AttributeDeclaration] {
        // The dump repeats `@available` for each platform.
        var seen: Set<Int> = []
        return node.nodes("attrs").compactMap { attribute in
            guard let range = attribute.range, !attribute.isTrue("implicit"),
                seen.insert(range.start).inserted
            else {
                return nil
            }
            let first = source.tokenIndex(from: range.start)
            let last = source.tokenIndex(from: range.end)
            guard last < source.tokens.count else { return nil }
            // The first token of a custom attribute is `@`; for other attributes it is the name.
            let hasSign = source.matches(first, "@")
            let isAfterSign = source.matches(first - 1, "@")
            let name = hasSign ? first + 1 : first
            // Others are keywords, which precede types as well.
            let isNamed = hasSign || isAfterSign
            let path = isNamed ? TypeParser.type(in: source, at: name)?.type.path : nil
            let start = isAfterSign ? source.tokens[first - 1].start : source.tokens[first].start
            var end = source.tokens[last].end
            let isAccess = attribute.kind == "access_control_attr" || attribute.kind == "setter_access_attr"
            if attribute.kind == "setter_access_attr", source.matches(last + 1, "(") {
                end = source.tokens[source.index(afterBracketAt: last + 1) - 1].end
            }
            var arguments: [Expression.Argument] = []
            if let list = attribute.node("args") {
                let reader = ExpressionReader(source: source, range: range)
                for argument in list.nodes("args") {
                    let label = argument.string("label")
                    let value = argument.node("expr").flatMap { reader.expression($0) } ?? .other([])
                    arguments.append(Expression.Argument(label: label == "" ? nil : label, value: value))
                }
            }
            return AttributeDeclaration(
                name: path?.last ?? source.text(of: source.tokens[name]), range: start..<end,
                isCustom: attribute.kind == "custom_attr", arguments: arguments,
                access: isAccess ? attribute.string("access_level") : nil,
                isSetterAccess: attribute.kind == "setter_access_attr")
        }
    }
}
