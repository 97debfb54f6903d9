import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatHostlist, formatPgft, parseTopology, pgft, TopologyError, topologySpecs } from '../src/index.ts'
import { nearly, shapes } from './arbitraries.ts'
import { traceFile } from './trace-files.ts'

test('the spec `pgft:` of a shape gives the same topology as pgft(shape)', () => {
  fc.assert(
    fc.property(shapes, (shape) => {
      const topology = parseTopology(formatPgft(shape))
      expect(topology).toEqual(pgft(shape))
      expect(topology.name).toBe(formatPgft(shape))
    }),
  )
})

test('the specs radix, kary and cab give the same topologies as pgft specs', () => {
  const same = (short: string, long: string): void =>
    expect({ ...parseTopology(short), name: long }).toEqual(parseTopology(long))
  same('radix:18', 'pgft:3;9,9,18;1,9,9;1,1,1')
  same('kary:4:3', 'pgft:3;4,4,4;1,4,4;1,1,1')
  same('cab', 'pgft:3;18,18,4;1,18,2;1,1,9')
})

test('the name of a topology has the file without its folder, and parseTopology reads the file once', () => {
  const paths: string[] = []
  const readFile = (path: string): string => {
    paths.push(path)
    return 'SwitchName=s0 Nodes=cn[1-4]'
  }
  expect(parseTopology('slurm:/etc/slurm/topology.conf', readFile)).toMatchObject({
    name: 'slurm:topology.conf',
    nodes: 4,
  })
  expect(parseTopology('slurm:C:\\slurm\\topology.conf', readFile).name).toBe('slurm:topology.conf')
  expect(paths).toEqual(['/etc/slurm/topology.conf', 'C:\\slurm\\topology.conf'])
})

test('SPEC@FILE names the nodes by the hostlist in a file, of one or several lines', () => {
  const cab = parseTopology('cab')
  const paths: string[] = []
  const named = parseTopology('cab@some@hosts', (path) => {
    paths.push(path)
    return 'cab[1-1000]\ncab[1101-1395]\r\nspare\n'
  })
  expect({ ...named, nodeNames: undefined }).toEqual({ ...cab, nodeNames: undefined })
  expect([named.nodeNames![0], named.nodeNames![1000], named.nodeNames![1295]]).toEqual(['cab1', 'cab1101', 'spare'])
  expect(paths).toEqual(['some@hosts'])
  expect(parseTopology('pgft:1;4;1;1@x', () => 'n[08-10],a').nodeNames).toEqual(['n08', 'n09', 'n10', 'a'])
})

test('SPEC@FILE reads the 1296 names of the nodes of LLNL Cab, which are numbered with gaps', (context) => {
  const listed = traceFile(context, 'topology/cab.lua').matchAll(/\bids = "([^"]+)"/g)
  const hostlist = [...listed].map(([, ids]) => `cab[${ids}]`).join('\n')
  const names = parseTopology('cab@cab.hosts', () => hostlist).nodeNames!
  expect(formatHostlist(names.slice(0, 36))).toBe('cab[1-14,16-19,15,20-33,36-38]')
  expect([names[324], names[1295], new Set(names).size]).toEqual(['cab309', 'cab1286', 1296])
})

describe('the errors of parseTopology name the wrong part of the spec and the form allowed', () => {
  test.each([
    ['', 'radix:R kary:K:N pgft:H;M;W;P cab pinot SPEC@FILE SPEC without PARTS R rails of SPEC slurm:FILE'],
    ['radx:18', '"radx:18": no topology has this form; did you mean radix:18? known are radix:R'],
    ['radix', 'known are radix:R'],
    ['radix:', 'radix: expected a positive integer, found ""'],
    ['radix:17', 'radix: expected an even number from 4, such as radix:18, found 17'],
    ['radix:2', 'radix: expected an even number from 4'],
    ['radix:018', 'radix: expected a positive integer, found "018"'],
    ['radix:1000', 'too large: 250000000 nodes'],
    ['radix: 18', 'radix: expected a positive integer, found " 18"'],
    ['kary:4', 'kary: expected K:N, such as kary:4:6, found "4"'],
    ['kary:4:0', 'N: expected a positive integer, found "0"'],
    ['kary:4:99', 'N: expected 1 to 16 levels, found 99'],
    ['kary:4:16', 'too large: 4294967296 nodes'],
    ['pgft:3;18,18,4', 'pgft: expected H;M;W;P, such as pgft:3;18,18,4;1,18,2;1,1,9, found "3;18,18,4"'],
    ['pgft:3;18,18,4;1,18;1,1,9', 'w: expected 3 numbers, one a level, found 2'],
    ['pgft:3;18,18,x;1,18,2;1,1,9', 'm3: expected a positive integer, found "x"'],
    ['pgft:3;18,18,4;2,18,2;1,1,9', 'w1: expected 1, found 2: a node hangs on one leaf'],
    ['pinot:x', 'no topology has this form'],
    [
      'topology.conf',
      '"topology.conf": no topology has this form; a file needs its kind in front, such as slurm:topology.conf or table:topology.conf; known are radix:R',
    ],
    ['./site/fabric', 'a file needs its kind in front, such as slurm:./site/fabric or table:./site/fabric; known are'],
    ['cab:cab.lua', '"cab:cab.lua": cab takes no file: write cab@FILE'],
    ['cab@', '"cab@": expected the name of a file at the end'],
    ['cab@x', 'files cannot be read here'],
    ['cub@x', '"cub": no topology has this form; did you mean cab?'],
    ['slurm:', 'expected the name of a file at the end'],
    ['slurm:x', 'files cannot be read here'],
    [`radix:${'9'.repeat(500)}`, 'radix: expected a positive integer'],
  ])('parseTopology names the wrong part of the spec %j', (spec, message) => {
    const attempt = (): unknown => parseTopology(spec)
    expect(attempt).toThrow(TopologyError)
    expect(attempt).toThrow(message)
  })

  test.each([
    ['n[1-4]', '"radix:4@hosts": expected 16 node names, found 4'],
    ['n[1-17]', '"radix:4@hosts": "n[1-17]": "1-17" at character 2 makes more names than the 16 still allowed'],
    ['', 'expected 16 node names, found 0'],
    ['n[1-8],n[1-8]', 'the node name "n1" occurs twice'],
    ['n[1-8', '"[" at character 1 is never closed'],
  ])('parseTopology names the fault of radix:4@FILE with the names %j', (text, message) => {
    expect(() => parseTopology('radix:4@hosts', () => text)).toThrow(TopologyError)
    expect(() => parseTopology('radix:4@hosts', () => text)).toThrow(message)
  })

  test('parseTopology throws a TopologyError for an unreadable file', () => {
    const readFile = (): string => {
      throw new Error('ENOENT: no such file')
    }
    expect(() => parseTopology('slurm:nowhere.conf', readFile)).toThrow(
      '"slurm:nowhere.conf": cannot read the file: ENOENT: no such file',
    )
  })
})

test('parseTopology gives a topology or a TopologyError for any text', () => {
  const texts = fc.oneof(
    fc.string(),
    ...['radix:18', 'kary:4:3', 'pgft:3;4,4,4;1,4,2;1,1,2', 'cab', 'kary:2:2@n[1-4]', 'slurm:x'].map(nearly),
  )
  const readFile = (path: string): string => path
  fc.assert(
    fc.property(texts, (text) => {
      try {
        expect(parseTopology(text, readFile).nodes).toBeGreaterThan(0)
      } catch (error) {
        expect(error).toBeInstanceOf(TopologyError)
        expect((error as Error).message.length).toBeLessThan(400)
      }
    }),
    { numRuns: 500 },
  )
})

test('parseTopology reads every spec of topologySpecs', () => {
  const filled = topologySpecs.map(({ spec }) =>
    spec
      .replace('radix:R', 'radix:4')
      .replace('K:N', '2:2')
      .replace('H;M;W;P', '1;4;1;1')
      .replace('SPEC@FILE', 'cab@x')
      .replace('SPEC without PARTS', 'radix:4 without node 3')
      .replace('R rails of SPEC', '2 rails of radix:4')
      .replace('FILE', 'x'),
  )
  for (const spec of filled.filter((each) => !/[:@]x$/.test(each))) expect(parseTopology(spec).name).toBe(spec)
  for (const spec of filled.filter((each) => /[:@]x$/.test(each)))
    expect(() => parseTopology(spec)).toThrow('files cannot be read here')
})
