/** Any JSON value. */
export type Json = string | number | boolean | null | ReadonlyArray<Json> | JsonObject

/** A JSON object. */
export interface JsonObject {
  readonly [key: string]: Json
}

/** Returns JSON in ASCII without white space. A character beyond ASCII becomes \u and four lower-case hex digits. */
export function encodeJson(json: Json): string {
  return JSON.stringify(json).replace(
    NOT_ASCII,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** Returns a string as JSON in ASCII, in the same spelling as `encodeJson`. */
export function encodeText(text: string): string {
  return NEEDS_NO_ESCAPE.test(text) ? `"${text}"` : encodeJson(text)
}

/** Returns true if arrays and objects are nested at most `depth` deep. */
export function isNestedAtMost(depth: number, json: Json): boolean {
  if (typeof json !== 'object' || json === null) return true
  return depth > 0 && Object.values(json).every((inner: Json) => isNestedAtMost(depth - 1, inner))
}

export function isJsonObject(json: Json | undefined): json is JsonObject {
  return typeof json === 'object' && json !== null && !Array.isArray(json)
}

const NOT_ASCII = /[\u0080-\uffff]/g
const NEEDS_NO_ESCAPE = /^[ !#-[\]-~]*$/
