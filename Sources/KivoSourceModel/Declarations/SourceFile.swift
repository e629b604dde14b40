/// A source file with its declarations.
package final class SourceFile {
    package let source: SourceText
    package let blocks: ConditionalBlocks
    /// All types and extensions, in the order of the source, including nested ones.
    package internal(set) var types: [TypeDeclaration] = []
    package internal(set) var aliases: [AliasDeclaration] = []
    package internal(set) var imports: [ImportDeclaration] = []
    /// All executable code: bodies, default values, and statements at the top level.
    package internal(set) var bodies: [FunctionBody] = []

    init(source: SourceText, blocks: ConditionalBlocks) {
        self.source = source
        self.blocks = blocks
    }
}

/// An import of a module.
package struct ImportDeclaration {
    package var path: [String]
    /// The range of the path's first name.
    package var nameRange: Range<Int>
    /// The range of the whole declaration.
    package var range: Range<Int>
    /// The conditions of the enclosing `#if` branches.
    package var conditions: [String]
}
