import { quote, TopologyError } from './topology-error.ts'

/** The declarative part of Lua that resource descriptions are written in: no operators, no functions, no `[key] =`. */
export type LuaValue = string | number | LuaTable | LuaCall

/** `{ "switch", name = "s7" }`: values in order, and values by key. */
export interface LuaTable {
  readonly kind: 'table'
  readonly line: number
  readonly items: ReadonlyArray<LuaValue>
  readonly fields: ReadonlyMap<string, LuaValue>
}

/** A name and what it is called with: `Resource {…}`, `Hierarchy "default" {…}`; a mere `Node` has no arguments. */
export interface LuaCall {
  readonly kind: 'call'
  readonly line: number
  readonly callee: string
  readonly args: ReadonlyArray<string | LuaTable>
}

const MAX_DEPTH = 64

/**
 * Reads a file of calls, `uses "Node" Hierarchy "default" {…}`.
 *
 * @throws TopologyError with the line and what was expected there
 */
export function parseLua(text: string, source: string): LuaCall[] {
  const tokens = tokenize(text, source)
  const calls: LuaCall[] = []
  const cursor = { at: 0 }
  while (tokens[cursor.at].kind !== 'end') {
    if (tokens[cursor.at].kind !== 'name')
      throw unexpected(tokens[cursor.at], 'a call such as Hierarchy "default" {…}', source)
    calls.push(parseCall(tokens, cursor, 0, source))
  }
  return calls
}

interface Token {
  readonly kind: 'name' | 'string' | 'number' | 'sign' | 'end'
  readonly text: string
  readonly line: number
}

interface Cursor {
  at: number
}

const SPACE = /\s+/y
const TOKENS: ReadonlyArray<readonly [Token['kind'], RegExp]> = [
  ['name', /[A-Za-z_]\w*/y],
  ['number', /[0-9]+(?:\.[0-9]+)?(?![\w.])/y],
  ['string', /"[^"\\\n]*"|'[^'\\\n]*'/y],
  ['sign', /[{}=,;]/y],
]

function tokenize(text: string, source: string): Token[] {
  const tokens: Token[] = []
  let line = 1
  let at = 0
  const passOver = (end: number): void => {
    for (; at < end; at++) if (text[at] === '\n') line++
  }
  while (at < text.length) {
    const blank = matchAt(SPACE, text, at)?.length ?? commentLength(text, at, line, source)
    if (blank > 0) {
      passOver(at + blank)
      continue
    }
    const token = TOKENS.map(([kind, pattern]) => ({ kind, text: matchAt(pattern, text, at) })).find(
      (each) => each.text !== undefined,
    )
    if (token?.text === undefined) {
      throw new TopologyError(
        `expected a name, a number, text in quotes without backslashes, or one of { } = , ; and found ${quote(text.slice(at, at + 10))}`,
        { source, line },
      )
    }
    tokens.push({ kind: token.kind, text: token.text, line })
    at += token.text.length
  }
  tokens.push({ kind: 'end', text: 'the end of the file', line })
  return tokens
}

function matchAt(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0]
}

function commentLength(text: string, at: number, line: number, source: string): number {
  if (!text.startsWith('--', at)) return 0
  const block = text.startsWith('[[', at + 2)
  const end = text.indexOf(block ? ']]' : '\n', at)
  if (end < 0 && block) throw new TopologyError('the comment --[[ is never closed by ]]', { source, line })
  return (end < 0 ? text.length : block ? end + 2 : end) - at
}

function parseCall(tokens: ReadonlyArray<Token>, cursor: Cursor, depth: number, source: string): LuaCall {
  const { text: callee, line } = tokens[cursor.at++]
  const args: Array<string | LuaTable> = []
  for (;;) {
    const next = tokens[cursor.at]
    if (next.kind === 'string') {
      args.push(next.text.slice(1, -1))
      cursor.at++
    } else if (next.text === '{') args.push(parseTable(tokens, cursor, depth + 1, source))
    else return { kind: 'call', line, callee, args }
  }
}

function parseTable(tokens: ReadonlyArray<Token>, cursor: Cursor, depth: number, source: string): LuaTable {
  const { line } = tokens[cursor.at++]
  if (depth > MAX_DEPTH) throw new TopologyError(`braces nest deeper than ${MAX_DEPTH}`, { source, line })
  const items: LuaValue[] = []
  const fields = new Map<string, LuaValue>()
  while (tokens[cursor.at].text !== '}') {
    const key = tokens[cursor.at]
    if (key.kind === 'name' && tokens[cursor.at + 1].text === '=') {
      cursor.at += 2
      if (fields.has(key.text)) throw new TopologyError('given twice', { source, line: key.line, field: key.text })
      fields.set(key.text, parseValue(tokens, cursor, depth, source))
    } else items.push(parseValue(tokens, cursor, depth, source))
    const separator = tokens[cursor.at]
    if (separator.text === ',' || separator.text === ';') cursor.at++
    else if (separator.text !== '}')
      throw unexpected(separator, `"," or "}" (the brace that opened on line ${line} is still open)`, source)
  }
  cursor.at++
  return { kind: 'table', line, items, fields }
}

function parseValue(tokens: ReadonlyArray<Token>, cursor: Cursor, depth: number, source: string): LuaValue {
  const token = tokens[cursor.at]
  if (token.kind === 'name') return parseCall(tokens, cursor, depth, source)
  if (token.text === '{') return parseTable(tokens, cursor, depth + 1, source)
  if (token.kind !== 'string' && token.kind !== 'number')
    throw unexpected(token, 'a value: text in quotes, a number, {…}, or a call', source)
  cursor.at++
  return token.kind === 'string' ? token.text.slice(1, -1) : Number(token.text)
}

function unexpected(token: Token, expected: string, source: string): TopologyError {
  const found = token.kind === 'end' ? token.text : quote(token.text)
  return new TopologyError(`expected ${expected}, found ${found}`, { source, line: token.line })
}
