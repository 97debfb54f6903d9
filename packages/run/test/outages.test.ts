import { parseTopology } from '@cloister/topology'
import { describe, expect, it } from 'vitest'
import { OptionError, parseOutages } from '../src/index.ts'

const machine = parseTopology('radix:4')
const read = (...lines: ReadonlyArray<string>) => parseOutages(lines.join('\n'), 'breaks.ndjson', machine)

describe('an outage file', () => {
  it('regression: parseOutages reads the names of nodes, and refuses unknown names and other fields', () => {
    const [{ resources }] = read('{"t":0,"type":"down","nodes":"node[2-3],node1"}')
    expect(Array.from(resources.nodes)).toEqual([1, 2, 3])
    expect(() => read('{"t":0,"type":"down","nodes":"gpu[1-3]"}')).toThrow(/line 1: .*the machine has no node gpu1/)
  })

  it('parseOutages takes a leaf switch as its nodes, and another switch as its links down and up', () => {
    const parts = (line: string) => {
      const [{ resources }] = read(line)
      return [resources.nodes, ...resources.links].map((ids) => Array.from(ids).join())
    }
    expect(parts('{"t":0,"type":"down","switch":"leaf1"}')).toEqual(['2,3'])
    // In radix:4 each leaf has a link to l2-0 and one to l2-1, and each of these two has two links up.
    expect(parts('{"t":0,"type":"down","switch":"l2-1"}')).toEqual(['', '1,3', '2,3', ''])
    expect(parts('{"t":0,"type":"down","switch":"spine3"}')).toEqual(['', '', '3,7,11,15', ''])
    expect(() => read('{"t":0,"type":"down","switch":"leaf8"}')).toThrow(/line 1: the machine has no switch leaf8/)
    expect(() => read('{"t":0,"type":"down","switch":"leaf1","nodes":"2"}')).toThrow(
      /line 1: found nodes and switch of nodes, links, switch and link/,
    )
    const again = ['{"t":0,"type":"down","switch":"leaf1"}', '{"t":1,"type":"down","nodes":"3"}']
    expect(() => read(...again)).toThrow(/line 2: node3 is down already/)
  })

  it('regression: parseOutages takes links without nodes, and the names of the two switches of a link', () => {
    const parts = (line: string) => {
      const [{ resources }] = read(line)
      return [resources.nodes, ...resources.links].map((ids) => Array.from(ids).join())
    }
    expect(parts('{"t":0,"type":"down","links":["0"]}')).toEqual(['', '0'])
    expect(parts('{"t":0,"type":"down","link":"leaf1 -> l2-1"}')).toEqual(['', '3', '', ''])
    expect(parts('{"t":0,"type":"down","link":"l2-1 -> spine3"}')).toEqual(['', '', '3', ''])
    expect(() => read('{"t":0,"type":"down","link":"leaf1 -> l2-7"}')).toThrow(/no cable joins .* leaf1 -> l2-7/)
    expect(() => read('{"t":0,"type":"down"}')).toThrow(/line 1: found none of nodes, links, switch and link/)
    const again = ['{"t":0,"type":"down","links":["0"]}', '{"t":1,"type":"down","link":"leaf0 -> l2-0"}']
    expect(() => read(...again)).toThrow(/line 2: level-0 link 0 is down already/)
  })

  it('parseOutages takes a link down with the first of its failed cables, and up with the last', () => {
    const rails = parseTopology('3 rails of radix:4')
    const readRails = (...lines: ReadonlyArray<string>) => parseOutages(lines.join('\n'), 'breaks.ndjson', rails)
    const changes = readRails(
      '{"t":0,"type":"down","link":"leaf1 -> l2-1","rails":"2"}',
      '{"t":1,"type":"down","nodes":"","rails":"0-1","cables":["3"]}',
      '{"t":2,"type":"up","links":["3"],"rails":"0,2"}',
      '{"t":3,"type":"up","links":["3"],"rails":"1"}',
      '{"t":4,"type":"down","links":["3"]}',
    )
    const text = (ids: ArrayLike<number> = []) => Array.from(ids).join()
    expect(
      changes.map(({ resources: { links }, rails: of, cables }) => [text(links[0]), of && text(of), text(cables?.[0])]),
    ).toEqual([
      ['3', '2', '3'],
      ['', '0,1', '3'],
      ['', '0,2', '3'],
      ['3', '1', '3'],
      ['3', undefined, ''],
    ])
    const down = '{"t":0,"type":"down","links":["3"],"rails":"0-1"}'
    expect(() => readRails(down, down)).toThrow(/line 2: level-0 link 3 in rail 0 is down already/)
    expect(() => readRails('{"t":0,"type":"down","links":["3"],"rails":"3"}')).toThrow(/line 1: rails: .*from 0 to 2/)
    expect(() => readRails('{"t":0,"type":"down","nodes":"3","rails":"0"}')).toThrow(/line 1: a single rail has only/)
    expect(() => readRails('{"t":0,"type":"down","switch":"leaf1","rails":"0"}')).toThrow(
      /a single rail has only links/,
    )
    expect(() => read(down)).toThrow(/line 1: rails: the machine has a single rail/)
  })

  it('parseOutages reads failures and repairs', () => {
    const changes = read('{"t":1.5,"type":"down","nodes":"3","links":["","2"]}', '', '{"t":2,"type":"up","nodes":"3"}')
    expect(changes.map(({ time, change }) => [time, change])).toEqual([
      [1500, 'down'],
      [2000, 'up'],
    ])
  })

  it.each([
    ['{"t":1,"type":"down","nodes":"","link":["2"]}', 'link'],
    ['{"t":1,"type":"down","nodes":"3","node":"4"}', 'node'],
    ['{"t":1e999,"type":"down","nodes":"3"}', '1000000000000'],
    ['{"t":1000000000001,"type":"down","nodes":"3"}', '1000000000000'],
    ['{"t":-1,"type":"down","nodes":"3"}', '"t"'],
    [`${'['.repeat(1e6)}${']'.repeat(1e6)}`, 'nested at most 64 deep'],
    ['[1,2]', 'Expected object'],
  ])('parseOutages names the line and the fault in the error for the line %s', (line, named) => {
    let found: unknown
    try {
      read('{"t":1,"type":"down","nodes":"1"}', line)
    } catch (error) {
      found = error
    }
    expect(found).toBeInstanceOf(OptionError)
    expect((found as OptionError).message).toContain('breaks.ndjson, line 2: ')
    expect((found as OptionError).message).toContain(named)
    expect((found as OptionError).message.length).toBeLessThan(400)
  })
})
