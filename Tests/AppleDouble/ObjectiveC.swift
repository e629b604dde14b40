// The module by which sources know that there is an Objective-C runtime. See `.ci/apple-double`.
public struct ObjCBool { public var boolValue: Bool { false } }
