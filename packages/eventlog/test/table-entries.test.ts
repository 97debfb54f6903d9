import { parseTopology } from '@cloister/topology'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { eachEntry, entriesOf, firstSwitchOfLevels, LoggedTables, type Route, spellEntries } from '../src/index.ts'

const topology = parseTopology('radix:4')
const firstOfLevel = firstSwitchOfLevels(topology)
const NODES = 40

/** Ports of one switch by node; undefined for nodes without an entry, often in runs or in cycles. */
const ports = fc
  .array(
    fc.record({
      of: fc.integer({ min: -1, max: 9 }),
      step: fc.integer({ min: 0, max: 1 }),
      cycle: fc.integer({ min: 1, max: 4 }),
      length: fc.integer({ min: 1, max: 12 }),
      gap: fc.integer({ min: 0, max: 2 }),
    }),
    { maxLength: 5 },
  )
  .map((runs) =>
    runs.flatMap(({ of, step, cycle, length, gap }) => [
      ...Array.from({ length }, (_, i) => (of < 0 ? -1 : of + step * (Math.floor(i / 2) % cycle))),
      ...Array.from({ length: gap }, () => undefined),
    ]),
  )
  .map((all) => all.slice(0, NODES))

const route = (seq: number, entries: ReadonlyArray<string>): Route => ({ seq, t: 0, type: 'route', cause: 0, entries })

describe('table entries', () => {
  it('entriesOf reads the entries that spellEntries spells, of equal switches in one text', () => {
    fc.assert(
      fc.property(fc.array(ports, { minLength: 1, maxLength: 8 }), (rows) => {
        const entries = rows.map((row, sw) => {
          const nodes = [...row.keys()].filter((node) => row[node] !== undefined)
          return { level: 0, sw, nodes, ports: nodes.map((node) => row[node]!) }
        })
        const texts = spellEntries(firstOfLevel, entries)
        const read = rows.map(() => new Map<number, number>())
        for (const { switches, ranges } of entriesOf({ entries: texts }))
          for (const sw of switches)
            for (const range of ranges) eachEntry(range, (node, port) => void read[sw].set(node, port))
        expect(read.map((row) => [...row])).toEqual(
          entries.map((each) => each.nodes.map((node, i) => [node, each.ports[i]])),
        )
        expect(new Set(texts.map((text) => text.slice(text.indexOf(' ')))).size).toBe(texts.length)
      }),
      { numRuns: 500 },
    )
  })

  it.each([
    [[0, 1, 2, 3], [0, 1, 2, 3], '0 0-3:0+4'],
    [[0, 1, 2, 3, 4], [2, 3, 2, 3, 2], '0 0-4:2+2'],
    [[0, 1, 2, 3, 4, 5], [1, 1, 2, 2, 1, 1], '0 0-5:1+2/2'],
    [[4, 5, 6, 7, 8], [0, 0, 1, 1, 1], '0 4-5:0 6-8:1'],
    [[4, 6], [0, 1], '0 4:0 6:1'],
    [[4, 5], [-1, -1], '0 4-5:-'],
  ])('nodes %j with the ports %j are spelled %s', (nodes, of, text) => {
    expect(spellEntries(firstOfLevel, [{ level: 0, sw: 0, nodes, ports: of }])).toEqual([text])
  })

  it.each([
    ['', 'expected switches and ranges'],
    ['0', 'expected switches and ranges'],
    ['0 ', 'expected a range of nodes with ports'],
    ['1,0 0:0', 'ids must ascend'],
    ['0 0-0:1', 'is not the shortest spelling'],
    ['0 3-1:1', 'is not the shortest spelling'],
    ['0 0-1:1 1:2', 'does not begin after node 1'],
    ['0 0-1:1+1', 'is not the shortest spelling'],
    ['0 0-3:1+2/1', 'is not the shortest spelling'],
    ['0 0-3:1+2/9', 'is not the shortest spelling'],
    ['0 00:1', '00 is no number'],
    ['0 0:99999999', '99999999 is no number'],
  ])('entriesOf refuses the text %j: %s', (text, problem) => {
    expect(() => entriesOf({ entries: [text] })).toThrow(problem)
  })

  it('entriesOf refuses a record whose texts name too many switches, before the texts take memory', () => {
    const entries = Array.from({ length: 1000 }, () => '0-4194303 0:0')
    expect(() => entriesOf({ entries })).toThrow('more than 4194304 switches in one record')
  })

  it('LoggedTables has the last entry of several, and no entry after a range without ports', () => {
    const tables = new LoggedTables(topology, [route(1, ['0,8 0-3:0+4']), route(2, ['0 1:3 2:-'])])
    expect([0, 1, 2, 3, 4].map((node) => tables.port(0, 0, node))).toEqual([0, 3, -1, 3, -1])
    expect([0, 1, 2, 3, 4].map((node) => tables.port(1, 0, node))).toEqual([0, 1, 2, 3, -1])
    expect(tables.port(0, 1, 0)).toBe(-1)
  })
})
