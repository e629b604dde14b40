/// A source file with what it declares.
package final class SourceFile {
    package let source: SourceText
    package let blocks: ConditionalBlocks
    /// All types and extensions, in the order of the source, those that are nested too.
    package internal(set) var types: [TypeDeclaration] = []
    package internal(set) var aliases: [AliasDeclaration] = []
    package internal(set) var imports: [ImportDeclaration] = []
    /// All that is executed: bodies, default values, and what stands at the top level.
    package internal(set) var bodies: [FunctionBody] = []

    init(source: SourceText, blocks: ConditionalBlocks) {
        self.source = source
        self.blocks = blocks
    }
}

/// An import of a module.
package struct ImportDeclaration {
    package var path: [String]
    /// Where the first name of the path is written.
    package var nameRange: Range<Int>
    /// The whole declaration.
    package var range: Range<Int>
}
