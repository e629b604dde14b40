// The module by which sources know that there is an Objective-C runtime. See `.ci/apple-double`.
public struct ObjCBool { public var boolValue: Bool { false } }

// The fields of classes, by which observed properties are found.

// swift-format-ignore: AlwaysUseLowerCamelCase
public func class_copyIvarList(_ type: AnyClass?, _ count: UnsafeMutablePointer<UInt32>?)
    -> UnsafeMutablePointer<OpaquePointer>?
{ nil }

// swift-format-ignore: AlwaysUseLowerCamelCase
public func ivar_getName(_ variable: OpaquePointer) -> UnsafePointer<CChar>? { nil }

// swift-format-ignore: AlwaysUseLowerCamelCase
public func ivar_getOffset(_ variable: OpaquePointer) -> Int { 0 }

// swift-format-ignore: AlwaysUseLowerCamelCase
public func class_getInstanceSize(_ type: AnyClass?) -> Int { 0 }
