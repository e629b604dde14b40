import Kivo

/// Classes of 200 properties each, which are used for the first time one after the other. They inherit all properties.
enum WideModels {
    final class A: WideModel {}
    final class B: WideModel {}
    final class C: WideModel {}
    final class D: WideModel {}
    final class E: WideModel {}
    final class F: WideModel {}
    final class G: WideModel {}
    final class H: WideModel {}

    static let all: [WideModel.Type] = [A.self, B.self, C.self, D.self, E.self, F.self, G.self, H.self]
}

/// A class of 200 properties.
class WideModel: Object {
    @Persisted var property0 = 0
    @Persisted var property1 = ""
    @Persisted var property2 = 0.5
    @Persisted var property3 = false
    @Persisted var property4: Int?
    @Persisted var property5: String?
    @Persisted var property6 = 0
    @Persisted var property7 = ""
    @Persisted var property8 = 0.5
    @Persisted var property9 = false
    @Persisted var property10: Int?
    @Persisted var property11: String?
    @Persisted var property12 = 0
    @Persisted var property13 = ""
    @Persisted var property14 = 0.5
    @Persisted var property15 = false
    @Persisted var property16: Int?
    @Persisted var property17: String?
    @Persisted var property18 = 0
    @Persisted var property19 = ""
    @Persisted var property20 = 0.5
    @Persisted var property21 = false
    @Persisted var property22: Int?
    @Persisted var property23: String?
    @Persisted var property24 = 0
    @Persisted var property25 = ""
    @Persisted var property26 = 0.5
    @Persisted var property27 = false
    @Persisted var property28: Int?
    @Persisted var property29: String?
    @Persisted var property30 = 0
    @Persisted var property31 = ""
    @Persisted var property32 = 0.5
    @Persisted var property33 = false
    @Persisted var property34: Int?
    @Persisted var property35: String?
    @Persisted var property36 = 0
    @Persisted var property37 = ""
    @Persisted var property38 = 0.5
    @Persisted var property39 = false
    @Persisted var property40: Int?
    @Persisted var property41: String?
    @Persisted var property42 = 0
    @Persisted var property43 = ""
    @Persisted var property44 = 0.5
    @Persisted var property45 = false
    @Persisted var property46: Int?
    @Persisted var property47: String?
    @Persisted var property48 = 0
    @Persisted var property49 = ""
    @Persisted var property50 = 0.5
    @Persisted var property51 = false
    @Persisted var property52: Int?
    @Persisted var property53: String?
    @Persisted var property54 = 0
    @Persisted var property55 = ""
    @Persisted var property56 = 0.5
    @Persisted var property57 = false
    @Persisted var property58: Int?
    @Persisted var property59: String?
    @Persisted var property60 = 0
    @Persisted var property61 = ""
    @Persisted var property62 = 0.5
    @Persisted var property63 = false
    @Persisted var property64: Int?
    @Persisted var property65: String?
    @Persisted var property66 = 0
    @Persisted var property67 = ""
    @Persisted var property68 = 0.5
    @Persisted var property69 = false
    @Persisted var property70: Int?
    @Persisted var property71: String?
    @Persisted var property72 = 0
    @Persisted var property73 = ""
    @Persisted var property74 = 0.5
    @Persisted var property75 = false
    @Persisted var property76: Int?
    @Persisted var property77: String?
    @Persisted var property78 = 0
    @Persisted var property79 = ""
    @Persisted var property80 = 0.5
    @Persisted var property81 = false
    @Persisted var property82: Int?
    @Persisted var property83: String?
    @Persisted var property84 = 0
    @Persisted var property85 = ""
    @Persisted var property86 = 0.5
    @Persisted var property87 = false
    @Persisted var property88: Int?
    @Persisted var property89: String?
    @Persisted var property90 = 0
    @Persisted var property91 = ""
    @Persisted var property92 = 0.5
    @Persisted var property93 = false
    @Persisted var property94: Int?
    @Persisted var property95: String?
    @Persisted var property96 = 0
    @Persisted var property97 = ""
    @Persisted var property98 = 0.5
    @Persisted var property99 = false
    @Persisted var property100: Int?
    @Persisted var property101: String?
    @Persisted var property102 = 0
    @Persisted var property103 = ""
    @Persisted var property104 = 0.5
    @Persisted var property105 = false
    @Persisted var property106: Int?
    @Persisted var property107: String?
    @Persisted var property108 = 0
    @Persisted var property109 = ""
    @Persisted var property110 = 0.5
    @Persisted var property111 = false
    @Persisted var property112: Int?
    @Persisted var property113: String?
    @Persisted var property114 = 0
    @Persisted var property115 = ""
    @Persisted var property116 = 0.5
    @Persisted var property117 = false
    @Persisted var property118: Int?
    @Persisted var property119: String?
    @Persisted var property120 = 0
    @Persisted var property121 = ""
    @Persisted var property122 = 0.5
    @Persisted var property123 = false
    @Persisted var property124: Int?
    @Persisted var property125: String?
    @Persisted var property126 = 0
    @Persisted var property127 = ""
    @Persisted var property128 = 0.5
    @Persisted var property129 = false
    @Persisted var property130: Int?
    @Persisted var property131: String?
    @Persisted var property132 = 0
    @Persisted var property133 = ""
    @Persisted var property134 = 0.5
    @Persisted var property135 = false
    @Persisted var property136: Int?
    @Persisted var property137: String?
    @Persisted var property138 = 0
    @Persisted var property139 = ""
    @Persisted var property140 = 0.5
    @Persisted var property141 = false
    @Persisted var property142: Int?
    @Persisted var property143: String?
    @Persisted var property144 = 0
    @Persisted var property145 = ""
    @Persisted var property146 = 0.5
    @Persisted var property147 = false
    @Persisted var property148: Int?
    @Persisted var property149: String?
    @Persisted var property150 = 0
    @Persisted var property151 = ""
    @Persisted var property152 = 0.5
    @Persisted var property153 = false
    @Persisted var property154: Int?
    @Persisted var property155: String?
    @Persisted var property156 = 0
    @Persisted var property157 = ""
    @Persisted var property158 = 0.5
    @Persisted var property159 = false
    @Persisted var property160: Int?
    @Persisted var property161: String?
    @Persisted var property162 = 0
    @Persisted var property163 = ""
    @Persisted var property164 = 0.5
    @Persisted var property165 = false
    @Persisted var property166: Int?
    @Persisted var property167: String?
    @Persisted var property168 = 0
    @Persisted var property169 = ""
    @Persisted var property170 = 0.5
    @Persisted var property171 = false
    @Persisted var property172: Int?
    @Persisted var property173: String?
    @Persisted var property174 = 0
    @Persisted var property175 = ""
    @Persisted var property176 = 0.5
    @Persisted var property177 = false
    @Persisted var property178: Int?
    @Persisted var property179: String?
    @Persisted var property180 = 0
    @Persisted var property181 = ""
    @Persisted var property182 = 0.5
    @Persisted var property183 = false
    @Persisted var property184: Int?
    @Persisted var property185: String?
    @Persisted var property186 = 0
    @Persisted var property187 = ""
    @Persisted var property188 = 0.5
    @Persisted var property189 = false
    @Persisted var property190: Int?
    @Persisted var property191: String?
    @Persisted var property192 = 0
    @Persisted var property193 = ""
    @Persisted var property194 = 0.5
    @Persisted var property195 = false
    @Persisted var property196: Int?
    @Persisted var property197: String?
    @Persisted var property198 = 0
    @Persisted var property199 = ""
}
