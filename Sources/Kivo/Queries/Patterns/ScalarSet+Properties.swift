import KivoEngine

/// The classes that escapes stand for.
extension ScalarSet {
    static let ascii = ScalarSet([0...0x7F])
    static let regionalIndicator = ScalarSet([0x1F1E6...0x1F1FF])
    static let lineFeed = ScalarSet([0xA...0xA])
    static let newline = ScalarSet([0xA...0xD, 0x85...0x85, 0x2028...0x2029])
    static let whitespace = ScalarSet { $0.properties.isWhitespace }
    static let horizontalWhitespace = ScalarSet {
        $0 == "\t" || $0.properties.generalCategory == .spaceSeparator
    }
    /// ASCII digits, and beyond ASCII every scalar with a numeric type, as in `Regex`.
    static let digit = ScalarSet { $0.properties.numericType != nil }
    /// Alphabetic scalars, and in ASCII also digits and the underscore, as in `Regex`.
    static let word = ScalarSet {
        $0.properties.isAlphabetic || $0.isASCII && ($0 == "_" || $0.properties.numericType != nil)
    }
}

/// Unicode properties by name.
extension ScalarSet {
    private typealias Test = @Sendable (Unicode.Scalar.Properties) -> Bool

    /// Sets by the name under which they were requested. There is at most one for each name in the tables below.
    private static let properties = Lock<[String: ScalarSet]>([:])

    /// Returns the set of the scalars with a property, or nil if it is unknown.
    ///
    /// The name is matched without case, spaces, hyphens and underscores, and with or without the prefix `is`. A general category
    /// can also be given as `gc=name`.
    static func property(_ name: String) -> ScalarSet? {
        let name = name.filter { !$0.isPatternWhitespace && $0 != "_" && $0 != "-" }.lowercased()
        for key in ["gc=", "generalcategory="] where name.hasPrefix(key) {
            return scalars(String(name.dropFirst(key.count)), categories)
        }
        let tables = [others, tests, categories]
        let sets = [
            "ascii": ascii, "blank": horizontalWhitespace, "ri": regionalIndicator,
            "regionalindicator": regionalIndicator,
        ]
        for candidate in name.hasPrefix("is") ? [name, String(name.dropFirst(2))] : [name] {
            if let set = sets[candidate] { return set }
            for table in tables { if let set = scalars(candidate, table) { return set } }
        }
        return nil
    }

    private static func scalars(_ name: String, _ table: [String: Test]) -> ScalarSet? {
        guard let test = table[name] else { return nil }
        if let set = properties.withLock({ $0[name] }) { return set }
        let set = ScalarSet { test($0.properties) }
        properties.withLock { $0[name] = set }
        return set
    }

    /// Returns a table from pairs whose keys are several names.
    private static func table(_ tests: KeyValuePairs<String, Test>) -> [String: Test] {
        var table: [String: Test] = [:]
        for (names, test) in tests {
            for name in names.split(separator: " ") { table[String(name)] = test }
        }
        return table
    }

    /// General categories, by their names and aliases in the Unicode standard.
    private static let categories = table([
        "c other": among(.control, .format, .surrogate, .privateUse, .unassigned),
        "cc control cntrl": among(.control), "cf format": among(.format), "cn unassigned": among(.unassigned),
        "co privateuse": among(.privateUse), "cs surrogate": among(.surrogate),
        "l letter": among(
            .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter),
        "lc l& casedletter": among(.uppercaseLetter, .lowercaseLetter, .titlecaseLetter),
        "ll lowercaseletter": among(.lowercaseLetter), "lm modifierletter": among(.modifierLetter),
        "lo otherletter": among(.otherLetter), "lt titlecaseletter": among(.titlecaseLetter),
        "lu uppercaseletter": among(.uppercaseLetter),
        "m mark combiningmark": among(.spacingMark, .enclosingMark, .nonspacingMark),
        "mc spacingmark": among(.spacingMark), "me enclosingmark": among(.enclosingMark),
        "mn nonspacingmark": among(.nonspacingMark),
        "n number": among(.decimalNumber, .letterNumber, .otherNumber),
        "nd decimalnumber digit": among(.decimalNumber), "nl letternumber": among(.letterNumber),
        "no othernumber": among(.otherNumber),
        "p punctuation punct": among(
            .connectorPunctuation, .dashPunctuation, .closePunctuation, .finalPunctuation,
            .initialPunctuation,
            .otherPunctuation, .openPunctuation),
        "pc connectorpunctuation": among(.connectorPunctuation),
        "pd dashpunctuation": among(.dashPunctuation),
        "pe closepunctuation": among(.closePunctuation), "pf finalpunctuation": among(.finalPunctuation),
        "pi initialpunctuation": among(.initialPunctuation), "po otherpunctuation": among(.otherPunctuation),
        "ps openpunctuation": among(.openPunctuation),
        "s symbol": among(.mathSymbol, .currencySymbol, .modifierSymbol, .otherSymbol),
        "sc currencysymbol": among(.currencySymbol), "sk modifiersymbol": among(.modifierSymbol),
        "sm mathsymbol": among(.mathSymbol), "so othersymbol": among(.otherSymbol),
        "z separator": among(.lineSeparator, .paragraphSeparator, .spaceSeparator),
        "zl lineseparator": among(.lineSeparator), "zp paragraphseparator": among(.paragraphSeparator),
        "zs spaceseparator": among(.spaceSeparator),
    ])

    private static func among(_ categories: Unicode.GeneralCategory...) -> Test {
        { categories.contains($0.generalCategory) }
    }

    /// Binary properties, by their names and aliases in the Unicode standard.
    private static let tests = table([
        "ahex asciihexdigit": \.isASCIIHexDigit, "alpha alphabetic": \.isAlphabetic,
        "bidic bidicontrol": \.isBidiControl,
        "bidim bidimirrored": \.isBidiMirrored, "cased": \.isCased, "ci caseignorable": \.isCaseIgnorable,
        "compex fullcompositionexclusion": \.isFullCompositionExclusion,
        "cwcf changeswhencasefolded": \.changesWhenCaseFolded,
        "cwcm changeswhencasemapped": \.changesWhenCaseMapped,
        "cwkcf changeswhennfkccasefolded": \.changesWhenNFKCCaseFolded,
        "cwl changeswhenlowercased": \.changesWhenLowercased,
        "cwt changeswhentitlecased": \.changesWhenTitlecased,
        "cwu changeswhenuppercased": \.changesWhenUppercased, "dash": \.isDash,
        "dep deprecated": \.isDeprecated,
        "di defaultignorablecodepoint": \.isDefaultIgnorableCodePoint, "dia diacritic": \.isDiacritic,
        "ebase emojimodifierbase": \.isEmojiModifierBase, "emod emojimodifier": \.isEmojiModifier,
        "emoji": \.isEmoji,
        "epres emojipresentation": \.isEmojiPresentation, "ext extender": \.isExtender,
        "grbase graphemebase": \.isGraphemeBase, "grext graphemeextend": \.isGraphemeExtend,
        "hex hexdigit xdigit": \.isHexDigit, "idc idcontinue": \.isIDContinue, "ids idstart": \.isIDStart,
        "ideo ideographic": \.isIdeographic, "idsb idsbinaryoperator": \.isIDSBinaryOperator,
        "idst idstrinaryoperator": \.isIDSTrinaryOperator, "joinc joincontrol": \.isJoinControl,
        "loe logicalorderexception": \.isLogicalOrderException, "lower lowercase": \.isLowercase,
        "math": \.isMath,
        "nchar noncharactercodepoint": \.isNoncharacterCodePoint, "patsyn patternsyntax": \.isPatternSyntax,
        "patws patternwhitespace": \.isPatternWhitespace, "qmark quotationmark": \.isQuotationMark,
        "radical": \.isRadical, "sd softdotted": \.isSoftDotted,
        "sterm sentenceterminal": \.isSentenceTerminal,
        "term terminalpunctuation": \.isTerminalPunctuation, "uideo unifiedideograph": \.isUnifiedIdeograph,
        "upper uppercase": \.isUppercase, "vs variationselector": \.isVariationSelector,
        "wspace whitespace space": \.isWhitespace, "xidc xidcontinue": \.isXIDContinue,
        "xids xidstart": \.isXIDStart,
    ])

    /// Names that are not binary properties: special properties, and POSIX classes as `Regex` defines them.
    private static let others = table([
        "any": { _ in true }, "assigned": { $0.generalCategory != .unassigned },
        "alnum": { $0.isAlphabetic || $0.numericType != nil },
        "graph": { !$0.isWhitespace && ![.control, .surrogate, .unassigned].contains($0.generalCategory) },
        "print": { $0.generalCategory != .control },
        "word": { $0.isAlphabetic || $0.numericType != nil || $0.isJoinControl || $0.isDash },
    ])
}
