import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  formatHostlist,
  parseHostlist,
  parseTopology,
  pgft,
  switchGraph,
  TopologyError,
  withFluxNames,
} from '../src/index.ts'
import { nearly } from './arbitraries.ts'
import { traceFile } from './trace-files.ts'

const tree = pgft({ m: [3, 2], w: [1, 2], p: [1, 1] }, 'small')
const description = `uses "Node"
-- a small machine --
Hierarchy "default" {
Resource { "cluster", name = "small", --[[ two
  leaves ]] children = {
  Resource { 'switch', name = 's7', size = 1.5; children = {
    ListOf { Node, ids = "4,2", args = { basename = "n", sockets = { "0-7,8-15" } } },
    ListOf { Node, ids = "09", args = { basename = "x" } },
  } },
  Resource { "switch", name = "s5", children = { ListOf { Node, ids = "10-12", args = { basename = "n" } } } },
} } }
`

test('nodes and leaves are named as listed', () => {
  const named = withFluxNames(tree, description, 'flux.lua')
  expect(named.nodeNames).toEqual(['n4', 'n2', 'x09', 'n10', 'n11', 'n12'])
  expect(named.levels[0].names).toEqual(['s7', 's5'])
  const { nodeNames: _, ...rest } = named
  expect({ ...rest, levels: [tree.levels[0], ...rest.levels.slice(1)] }).toEqual(tree)
})

describe('descriptions that are refused, with the line', () => {
  const change = (from: string, to: string): string => {
    expect(description).toContain(from)
    return description.replace(from, to)
  }
  test.each<[string, string, string]>([
    ['nothing', '', 'f: line 1: expected Hierarchy "default" { Resource {…} }'],
    ['no hierarchy', change('Hierarchy', 'Hier'), 'f: line 1: expected Hierarchy'],
    ['a hierarchy without braces', 'uses "Node"\nHierarchy "default"', 'f: line 2: expected Hierarchy'],
    [
      'two machines',
      'Hierarchy { Resource {}, Resource {} }',
      'f: line 1: expected one Resource, the whole machine, found 2',
    ],
    ['another kind of thing', change('Resource { "cluster"', 'Rack { "cluster"'), 'f: line 4: expected Resource {…}'],
    ['a missing name', change("name = 's7',", ''), 'f: line 6: Resource: expected name = "…"'],
    [
      'missing children',
      change('children = { ListOf { Node, ids = "10-12"', 'kids = { ListOf { Node, ids = "10-12"'),
      'f: line 10: expected children = {…}',
    ],
    [
      'text for a child',
      change('ListOf { Node, ids = "4,2", args = { basename = "n", sockets = { "0-7,8-15" } } }', '"n4"'),
      'f: line 6: expected ListOf {…}',
    ],
    ['a node too few', change('10-12', '10-11'), 'f: line 10: Resource: "s5" has 2 nodes, expected 3 for small'],
    ['a node too many', change('10-12', '10-13'), 'f: line 10: ids: '],
    [
      'a leaf too many',
      change(
        'Resource { "switch", name = "s5"',
        'Resource { "switch", name = "s6", children = { ListOf { Node, ids = "20-22", args = { basename = "n" } } } }, Resource { "switch", name = "s5"',
      ),
      'f: line 4: Resource: "small" has 3 children, expected 2 for small',
    ],
    [
      'another type',
      change('{ Node, ids = "4', '{ Core, ids = "4'),
      'f: line 7: ListOf: expected Node, the type of what is listed',
    ],
    ['missing ids', change('ids = "4,2"', 'id = "4,2"'), 'f: line 7: ListOf: expected ids = "1-14,16-19"'],
    ['broken ids', change('"4,2"', '"4,,2"'), 'f: line 7: ids: "n[4,,2]": "" at character 4 is no range'],
    ['missing args', change('args = { basename = "x" }', 'x = 1'), 'f: line 8: expected args = {…}'],
    ['a missing base name', change('basename = "x"', ''), 'f: line 8: ListOf: expected basename = "…" in args'],
    ['a node twice', change('10-12', '2-4'), 'f: the node name "n2" is there twice'],
    ['a leaf twice', change('"s5"', '"s7"'), 'f: the switch name "s7" is there twice'],
    ['a field twice', change('name = "s5"', 'name = "s5", name = "s6"'), 'f: line 10: name: given twice'],
    [
      'an open brace',
      change('} } }\n', '} }\n'),
      'f: line 12: expected "," or "}" (the brace that opened on line 3 is still open), found the end of the file',
    ],
    [
      'a missing comma',
      change('"cluster",', '"cluster"'),
      'f: line 4: expected "," or "}" (the brace that opened on line 4 is still open), found "name"',
    ],
    [
      'a missing value',
      change("name = 's7'", 'name = '),
      'f: line 6: expected a value: text in quotes, a number, {…}, or a call, found ","',
    ],
    ['an open quote', change('"s5"', '"s5'), 'f: line 10: expected a name, a number, text in quotes'],
    ['a statement', 'x = 1', 'f: line 1: expected a call such as Hierarchy "default" {…}, found "="'],
    [
      'an operator',
      change('1.5', '1+5'),
      'f: line 6: expected a name, a number, text in quotes without backslashes, or one of { } = , ; and found "+5',
    ],
    ['an open comment', '\n--[[ ', 'f: line 2: the comment --[[ is never closed by ]]'],
    ['deep braces', `Hierarchy ${'{'.repeat(100_000)}`, 'f: line 1: braces nest deeper than 64'],
  ])('%s', (_, text, message) => {
    expect(() => withFluxNames(tree, text, 'f')).toThrow(TopologyError)
    expect(() => withFluxNames(tree, text, 'f')).toThrow(message)
  })

  test('a switch graph', () => {
    expect(() => withFluxNames(switchGraph({ name: 'x', leaves: [6], parents: [] }), description, 'f')).toThrow(
      'f: a resource description names only regular trees',
    )
  })

  test('nothing but a topology or a TopologyError comes out of any text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), nearly(description)), (text) => {
        try {
          expect(withFluxNames(tree, text, 'f').nodeNames).toHaveLength(6)
        } catch (error) {
          expect(error).toBeInstanceOf(TopologyError)
        }
      }),
      { numRuns: 1000 },
    )
  })

  test('long text is refused quickly', () => {
    const start = performance.now()
    for (const text of ['--[[ '.repeat(100_000), '"'.repeat(200_000), 'a '.repeat(200_000), '-- x\n'.repeat(200_000)])
      expect(() => withFluxNames(tree, text, 'f')).toThrow(TopologyError)
    expect(performance.now() - start).toBeLessThan(3000)
  })
})

test('LLNL Cab: 1296 nodes, numbered with gaps', (context) => {
  const text = traceFile(context, 'topology/cab.lua')
  const cab = parseTopology('cab:traces/cab.lua', () => text)
  const names = cab.nodeNames!
  expect({ ...parseTopology('cab'), nodeNames: names, levels: cab.levels }).toEqual(cab)
  expect(cab.name).toBe('cab')
  expect(formatHostlist(names.slice(0, 36))).toBe('cab[1-14,16-19,15,20-33,36-38]')
  expect(cab.levels[0].names!.slice(0, 3)).toEqual(['l2_switch7', 'l2_switch5', 'l2_switch6'])
  expect(names[324]).toBe('cab309')
  expect(names[1295]).toBe('cab1286')
  expect(new Set(names).size).toBe(1296)
  expect(parseHostlist(formatHostlist(names))).toEqual(names)
  const shorter = text.replace(',1286"', '"')
  expect(() => parseTopology('cab:cab.lua', () => shorter)).toThrow(
    /^cab:cab.lua: line 6\d\d: Resource: "l2_switch48" has 17 nodes, expected 18 for cab$/,
  )
})
