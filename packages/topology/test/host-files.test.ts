/**
 * Files that list hosts with the switches above them. The JSON of kubectl and of AWS is made to public documentation:
 * the API reference of Kubernetes (Node, List), topograph's docs/reference/node-labels.md, and the API reference of EC2
 * (DescribeInstanceTopology). The JSON of topograph's engine `graph` follows its docs/engines/graph.md. The resource
 * graphs of Fluxion and the R of Flux are made to RFC 4, RFC 20 and RFC 40 of Flux.
 */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { formatHostlist, parseTopology, type Topology, TopologyError } from '../src/index.ts'
import { nearly } from './arbitraries.ts'
import { traceFile } from './trace-files.ts'

/** Host with the switches above it, from the coarsest level to the leaf, and its NVLink domain. */
interface Host {
  readonly name: string
  readonly path: ReadonlyArray<string>
  readonly domain: string | undefined
}

/**
 * Random trees of two to four levels with leaves of one to three nodes, in natural order. Names of switches are unique;
 * some machines have NVLink domains, which may be parts of leaves or have nodes of several leaves.
 */
const machines: fc.Arbitrary<ReadonlyArray<Host>> = fc
  .record({
    depth: fc.integer({ min: 1, max: 3 }),
    fanout: fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 40, maxLength: 40 }),
    domains: fc.option(fc.array(fc.option(fc.nat(3), { nil: undefined }), { minLength: 81, maxLength: 81 }), {
      nil: undefined,
    }),
  })
  .map(({ depth, fanout, domains }) => {
    let drawn = 0
    let paths: string[][] = [['top']]
    for (let level = 0; level < depth; level++) {
      let count = 0
      paths = paths.flatMap((path) =>
        Array.from({ length: fanout[drawn++ % fanout.length] }, () => [...path, `l${level}-${count++}`]),
      )
    }
    let count = 0
    return paths.flatMap((path, leaf) =>
      Array.from({ length: fanout[(drawn + leaf) % fanout.length] }, () => {
        const domain = domains?.[count]
        return { name: `cn${count++}`, path, domain: domain === undefined ? undefined : `nvl-${domain}` }
      }),
    )
  })
const shuffled = machines.chain((hosts) =>
  fc.tuple(fc.constant(hosts), fc.shuffledSubarray([...hosts], { minLength: hosts.length })),
)

/** Returns the lines of a topology.conf: leaves in the order of the hosts, then the switches above. */
function confOf(hosts: ReadonlyArray<Host>): string {
  const lines = new Map<string, string>()
  for (const [leaf, own] of Map.groupBy(hosts, ({ path }) => path.at(-1)!))
    lines.set(leaf, `SwitchName=${leaf} Nodes=${own.map(({ name }) => name).join()}`)
  const depth = hosts[0].path.length
  for (let level = depth - 2; level >= 0; level--)
    for (const [parent, own] of Map.groupBy(hosts, ({ path }) => path[level]))
      lines.set(parent, `SwitchName=${parent} Switches=${[...new Set(own.map(({ path }) => path[level + 1]))].join()}`)
  return [...lines.values()].join('\n')
}

const tableOf = (hosts: ReadonlyArray<Host>): string =>
  [
    `nvl,${hosts[0].path.map((_, level) => `level ${level}`).join()},host`,
    ...hosts.map(({ name, path, domain }) => [domain ?? '', ...path, name].join()),
  ].join('\r\n')

const LABELS = ['example.com/top', 'example.com/pod', 'example.com/row', 'example.com/rack']
const nodesOf = (hosts: ReadonlyArray<Host>): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'List',
    metadata: { resourceVersion: '' },
    items: hosts.map(({ name, path, domain }) => ({
      apiVersion: 'v1',
      kind: 'Node',
      metadata: {
        name,
        labels: {
          'kubernetes.io/hostname': name,
          ...Object.fromEntries(path.map((value, level) => [LABELS[level], value])),
          ...(domain !== undefined && { 'network.topology.nvidia.com/accelerator': domain }),
        },
      },
      spec: { unschedulable: true },
      status: { conditions: [{ type: 'Ready', status: 'False' }] },
    })),
  })

const instancesOf = (hosts: ReadonlyArray<Host>): string =>
  JSON.stringify({
    Instances: hosts.map(({ name, path, domain }) => ({
      InstanceId: name,
      InstanceType: 'p6e-gb200.36xlarge',
      GroupName: 'my-ml-cpg',
      NetworkNodes: path,
      AvailabilityZone: 'us-west-2a',
      ZoneId: 'usw2-az2',
      ...(domain !== undefined && { CapacityBlockId: domain }),
    })),
  })

const graphOf = (hosts: ReadonlyArray<Host>): string =>
  JSON.stringify({
    instances: hosts.map(({ name, path, domain }) => ({
      id: name,
      type: 'GB200',
      network_layers: path.toReversed(),
      attributes: domain === undefined ? {} : { nvlink: domain },
    })),
  })

/** Domains are left out: a graph of Fluxion has none. */
function fluxGraphOf(hosts: ReadonlyArray<Host>): string {
  const ids = new Map<string, string>()
  const [nodes, edges]: [unknown[], unknown[]] = [[], []]
  const add = (name: string, type: string, parent: string | undefined): void => {
    if (ids.has(name)) return
    ids.set(name, String(ids.size))
    nodes.push({ id: ids.get(name), metadata: { type, basename: type, name, id: ids.size, size: 1, rank: -1 } })
    if (parent === undefined) return
    const metadata = { subsystem: 'containment', relationship: 'contains' }
    edges.push({ source: ids.get(parent), target: ids.get(name), metadata })
  }
  for (const { name, path } of hosts) {
    for (const [level, each] of path.entries()) add(each, level === 0 ? 'cluster' : 'rack', path[level - 1])
    add(name, 'node', path.at(-1))
    add(`${name}-core0`, 'core', name)
  }
  return JSON.stringify({ graph: { nodes, edges } })
}

function modelOf(hosts: ReadonlyArray<Host>): string {
  const children = new Map<string, Set<string>>()
  for (const { path } of hosts)
    for (let level = 0; level + 1 < path.length; level++)
      children.set(path[level], (children.get(path[level]) ?? new Set()).add(path[level + 1]))
  const switches = [...children].map(([name, own]) => `  ${name}:\n    switches: [${[...own].join(', ')}]`)
  const blocks = [...Map.groupBy(hosts, ({ path, domain }) => JSON.stringify([path.at(-1), domain])).values()].map(
    (own) =>
      [
        `- switch: ${own[0].path.at(-1)}`,
        `  nodes: ["${formatHostlist(own.map(({ name }) => name))}"]`,
        ...(own[0].domain === undefined
          ? []
          : ['  annotations:', `    accelerator.topology.test/domain: ${own[0].domain}`]),
      ].join('\n'),
  )
  return ['switches:', ...switches, 'blocks:', ...blocks].join('\n')
}

const read = (spec: string, text: string): Topology =>
  parseTopology(
    spec,
    () => text,
    (yaml) => ({ value: parse(yaml) }),
  )

/** Formats, with the writer of each format and the spec that reads it. */
const formats: ReadonlyArray<readonly [string, (hosts: ReadonlyArray<Host>) => string, (depth: number) => string]> = [
  [
    'a table',
    tableOf,
    (depth) =>
      `table:x,host=host,levels=${[0, 1, 2, 3]
        .slice(0, depth)
        .map((level) => `level ${level}`)
        .join()},block=nvl`,
  ],
  ['nodes of kubectl', nodesOf, (depth) => `k8s:x,levels=${LABELS.slice(0, depth).join()}`],
  ['instances of AWS', instancesOf, () => 'aws:x'],
  ["topograph's graph", graphOf, () => 'topograph:x'],
  ["topograph's model", modelOf, () => 'topograph:x'],
  ['a graph of Fluxion', fluxGraphOf, () => 'flux:x'],
]

/** Returns the names of the nodes of each block. */
function domainsOf({
  blocks,
  nodeNames,
}: Topology): ReadonlyArray<readonly [string, ReadonlyArray<string>]> | undefined {
  return blocks?.map(({ name, nodes }) => [name, [...nodes].map((node) => nodeNames![node])])
}

/** Returns the domains of hosts in natural order; the hosts of a leaf without a domain form one. */
function naiveDomains(hosts: ReadonlyArray<Host>): ReturnType<typeof domainsOf> {
  if (hosts.every(({ domain }) => domain === undefined)) return undefined
  const groups = Map.groupBy(hosts, ({ path, domain }) => domain ?? path.at(-1)!)
  return [...groups].map(([name, own]) => [name, own.map((host) => host.name)])
}

describe.each(formats)('%s', (format, write, specOf) => {
  test('in any order of the hosts, the file gives the machine of the topology.conf, with the NVLink domains as blocks', () => {
    fc.assert(
      fc.property(shuffled, ([hosts, order]) => {
        const machine = read(specOf(hosts[0].path.length), write(order))
        expect({ ...machine, name: 'x', remarks: undefined, blocks: undefined }).toEqual({
          ...read('slurm:x', confOf(hosts)),
          name: 'x',
        })
        expect(domainsOf(machine)).toEqual(format === 'a graph of Fluxion' ? undefined : naiveDomains(hosts))
      }),
      { numRuns: 40 },
    )
  })

  test('a damaged file gives a topology or a TopologyError', () => {
    const hosts = ['a', 'b'].map((name) => ({ name, path: ['top', `leaf-${name}`], domain: 'nvl' }))
    fc.assert(
      fc.property(nearly(write(hosts)), (text) => {
        try {
          read(specOf(2), text)
        } catch (error) {
          // The YAML reader of this test is that of the package `yaml`, whose errors `parseTopology` wraps.
          expect(error).toBeInstanceOf(TopologyError)
          expect((error as TopologyError).source).toBe(specOf(2))
        }
      }),
      { numRuns: 60 },
    )
  })
})

describe('table:FILE', () => {
  test('by default, the first column has the hosts, and the other columns the switches', () => {
    const machine = read('table:hosts.csv,cables=2', 'ip,row,rack\n10.0.0.1,r1,a\n10.0.0.2,r1,b\n10.0.0.3,r2,a\n')
    expect(machine).toMatchObject({ nodes: 3, leaves: 3, pods: 2, levels: [{ links: 6 }, { links: 0 }] })
    expect(machine.nodeNames).toEqual(['10.0.0.1', '10.0.0.2', '10.0.0.3'])
    // Two racks are called `a`, so the names of all racks begin with the rows.
    expect(machine.levels.map((level) => level.names)).toEqual([
      ['r1-a', 'r1-b', 'r2-a'],
      ['r1', 'r2'],
    ])
  })

  test('a name may be on two levels, and a cell may be in quotes', () => {
    const machine = read('table:x', 'host,row,rack\n"n ""1""",a,a\n'.replace('"n ""1"""', '"n1"'))
    expect(machine.levels.map((level) => level.names)).toEqual([['a-a'], ['a']])
    expect(() => read('table:x', 'host,row,rack\n"n ""1""",a,a\n')).toThrow(
      'table:x: line 2: host: expected the name of a host, not empty and without white space and , [ ] " # = \\, found "n \\"1\\""',
    )
  })

  test('the whole tree of the cluster Lingjun has 3 pods of 48 leaves of 8 nodes; 847 of 1152 nodes are there', (context) => {
    const text = traceFile(context, 'topology/alibaba-lingjun-2023-topo.csv')
    const machine = read('table:topo.csv', text)
    expect(machine).toMatchObject({ nodes: 847, leaves: 119, pods: 3, envelope: { shape: { m: [8, 48, 3] } } })
    expect({ ...read('table:topo.csv,host=ip,levels=DSW,PSW,ASW', text), name: machine.name }).toEqual(machine)
    expect(machine.levels[0].names!.slice(0, 2)).toEqual(['P8-S1', 'P8-S2'])
  })

  test.each([
    ['', '', 'table:x: line 1: expected a line of column names'],
    ['', 'ip,a,a\n', 'table:x: line 1: two columns are called a'],
    ['', 'ip,,a\n', 'table:x: line 1: column 2 has no name'],
    ['', 'ip\nn1\n', 'table:x: line 1: expected at least one column of switches'],
    ['', 'ip,a\n', 'table:x: expected a line for each host, found none'],
    ['', 'ip,a\nn1,s1\n\nn2\n', 'table:x: line 4: expected 2 cells, one a column, found 1'],
    ['', 'ip,a\nn1,"s1\n', 'table:x: line 2: a cell with a quote needs quotes around it'],
    ['', 'ip,a\nn1,\n', 'table:x: line 2: a: is empty; every host needs a name, and a switch of each level'],
    ['', 'ip,a\n,s1\n', 'table:x: line 2: ip: is empty'],
    ['', 'ip,a\nn1,s 1\n', 'table:x: line 2: a: expected the name of a switch, not empty and without white space'],
    ['', 'ip,a\nn1,s1\nn1,s1\n', 'table:x: line 3: ip: host "n1" is already on line 2; a host hangs on one leaf'],
    [',levels=b', 'ip,a\nn1,s1\n', 'table:x,levels=b: line 1: no column is called "b"; the columns are "ip", "a"'],
    [',levels=a,a', 'ip,a\nn1,s1\n', 'column "a" has two uses; each level needs a column of its own'],
    [',levels=a,host=a', 'ip,a\nn1,s1\n', 'column "a" has two uses'],
    [',host=a,b', 'ip,a\nn1,s1\n', '"table:x,host=a,b": host: expected one name, found 2'],
    [',levels=', 'ip,a\nn1,s1\n', '"table:x,levels=": expected a column after levels='],
    [',levels=a,level=b', 'ip,a\nn1,s1\n', 'unknown name "level"; known are host, levels, block, parents, cables'],
    [',levels=a,levels=a', 'ip,a\nn1,s1\n', 'levels= occurs twice'],
    [',cables=x', 'ip,a\nn1,s1\n', '"table:x,cables=x": cables1: expected a positive integer, found "x"'],
    [',cables=2', 'ip,a\nn1,s1\n', 'table:x,cables=2: cables: expected 0 numbers, one a level below the top, found 1'],
  ])('parseTopology names the fault of table:x%s with the text %j', (options, text, message) => {
    expect(() => read(`table:x${options}`, text)).toThrow(TopologyError)
    expect(() => read(`table:x${options}`, text)).toThrow(message)
  })
})

describe('k8s:FILE', () => {
  const node = (name: string, labels: Readonly<Record<string, string>>) => ({
    kind: 'Node',
    metadata: { name, labels },
  })
  const list = (...items: ReadonlyArray<unknown>): string => JSON.stringify({ kind: 'List', items })
  const nvidia = (core: string, spine: string, leaf: string, accelerator?: string) => ({
    'topology.kubernetes.io/region': 'us-east',
    'topology.kubernetes.io/zone': 'us-east-1a',
    'network.topology.nvidia.com/core': core,
    'network.topology.nvidia.com/spine': spine,
    'network.topology.nvidia.com/leaf': leaf,
    ...(accelerator !== undefined && { 'network.topology.nvidia.com/accelerator': accelerator }),
  })

  test('by default, the labels of topograph and of Kubernetes are levels; a region above one zone is none', () => {
    const machine = read(
      'k8s:nodes.json',
      list(
        node('gpu2', nvidia('c1', 's2', 'l3', 'nvl2')),
        node('gpu1', nvidia('c1', 's1', 'l1', 'nvl1')),
        node('gpu3', nvidia('c1', 's1', 'l2', 'nvl1')),
      ),
    )
    expect(machine.levels.map((level) => level.names)).toEqual([['l1', 'l2', 'l3'], ['s1', 's2'], ['c1']])
    expect(machine.nodeNames).toEqual(['gpu1', 'gpu3', 'gpu2'])
    expect(domainsOf(machine)).toEqual([
      ['nvl1', ['gpu1', 'gpu3']],
      ['nvl2', ['gpu2']],
    ])
  })

  test('nodes without the label of the leaves are left out; nodes without an NVLink domain have a block of each leaf', () => {
    const machine = read(
      'k8s:nodes.json',
      list(
        node('control', { 'topology.kubernetes.io/zone': 'us-east-1a' }),
        node('cpu1', nvidia('c1', 's1', 'l1')),
        node('gpu1', nvidia('c1', 's1', 'l1', 'nvl1')),
      ),
    )
    expect(machine.remarks).toEqual([
      'left out without the label network.topology.nvidia.com/leaf: control',
      'in no NVLink domain, so one more block on each leaf: cpu1',
    ])
    expect(domainsOf(machine)).toEqual([
      ['l1', ['cpu1']],
      ['nvl1', ['gpu1']],
    ])
  })

  test('a single node, and zones alone, are a machine; the block may be another label', () => {
    const labels = { 'topology.kubernetes.io/zone': 'a', 'nvidia.com/gpu.clique': 'c.0', 'example.com/b': 'x' }
    const one = JSON.stringify(node('gpu1', labels))
    expect(read('k8s:x', one)).toMatchObject({ nodes: 1, leaves: 1, blocks: [{ name: 'c.0' }] })
    expect(read('k8s:x,block=example.com/b', one)).toMatchObject({ blocks: [{ name: 'x' }] })
  })

  test.each([
    ['', '{', 'k8s:x: is no JSON'],
    ['', '[]', 'k8s:x: the document: expected fields, found a list'],
    ['', '{"kind":"Pod"}', 'k8s:x: kind: expected a List of nodes or a Node, found "Pod"'],
    ['', '{"kind":"List","items":[]}', 'k8s:x: items: expected a list, found an empty list'],
    ['', list({ kind: 'Pod' }), 'k8s:x: items[0].kind: expected Node, found "Pod"'],
    ['', list({ kind: 'Node' }), 'k8s:x: items[0].metadata: expected fields, found undefined'],
    ['', list({ kind: 'Node', metadata: {} }), 'k8s:x: items[0].metadata.name: missing; every node has a name'],
    [
      '',
      list(node('a', {})),
      'k8s:x: no node has a label of topology.kubernetes.io/region, topology.kubernetes.io/zone',
    ],
    [',levels=r', list(node('a', {})), 'k8s:x,levels=r: no node has the label "r"'],
    [',block=r', list(node('a', { r: '' })), 'k8s:x,block=r: no node has the label "r"'],
    [',host=r', list(node('a', {})), 'unknown name "host"; known are levels, block, parents, cables'],
    [
      ',levels=row,rack',
      list(node('a', { row: 'r', rack: '1' }), node('b', { rack: '2' })),
      'items[1].metadata.labels["row"]: missing, although node "b" has the label rack; choose other labels by levels=',
    ],
    [
      ',levels=rack',
      list(node('a', { rack: '1' }), node('a', { rack: '2' })),
      'items[1].metadata.name: host "a" is already at items[0].metadata.name; a host hangs on one leaf',
    ],
  ])('parseTopology names the fault of k8s:x%s with the text %j', (options, text, message) => {
    expect(() => read(`k8s:x${options}`, text)).toThrow(TopologyError)
    expect(() => read(`k8s:x${options}`, text)).toThrow(message)
  })
})

describe('k8s:FILE with a Topology of Kueue', () => {
  const node = (name: string, labels: object): object => ({ kind: 'Node', metadata: { name, labels } })
  const block = (b: string, r: string): object => ({ 'cloud.test/block': b, 'cloud.test/rack': r, zone: 'z' })
  const nodes = [node('n1', block('b1', 'r1')), node('n2', block('b1', 'r2')), node('n3', block('b2', 'r1'))]
  const kueue = (...labels: ReadonlyArray<string>): object => ({
    apiVersion: 'kueue.x-k8s.io/v1beta1',
    kind: 'Topology',
    metadata: { name: 'default' },
    spec: { levels: labels.map((nodeLabel) => ({ nodeLabel })) },
  })
  const list = (...items: ReadonlyArray<object>): string => JSON.stringify({ kind: 'List', items })

  test('has the levels of the Topology, without the level of the hosts', () => {
    const own = kueue('cloud.test/block', 'cloud.test/rack', 'kubernetes.io/hostname')
    const machine = read('k8s:x', list(own, ...nodes))
    expect({ ...machine, name: '' }).toEqual({
      ...read('k8s:x,levels=cloud.test/block,cloud.test/rack', list(...nodes)),
      name: '',
    })
    expect(machine.leaves).toBe(3)
    expect(read('k8s:x,levels=cloud.test/block', list(own, kueue('zone'), ...nodes)).leaves).toBe(2)
  })

  test.each([
    [[kueue('zone'), kueue('zone')], 'k8s:x: items[1].spec.levels: is of a second Topology'],
    [[kueue('kubernetes.io/hostname')], 'k8s:x: items[0].spec.levels: has no level above the nodes'],
    [[{ kind: 'Topology', spec: { levels: [{}] } }], 'items[0].spec.levels[0].nodeLabel: missing'],
    [[{ kind: 'Topology' }], 'items[0].spec.levels: expected fields, found undefined'],
  ])('an error of a Topology names the place (%#)', (topologies, message) => {
    expect(() => read('k8s:x', list(...topologies, ...nodes))).toThrow(message)
  })
})

describe('aws:FILE', () => {
  const of = (...instances: ReadonlyArray<readonly [string, ReadonlyArray<string> | null]>): string =>
    JSON.stringify({ Instances: instances.map(([InstanceId, NetworkNodes]) => ({ InstanceId, NetworkNodes })) })

  test('instances of three and of four network nodes are one machine; instances without are left out', () => {
    const machine = read(
      'aws:x',
      of(['i-1', ['nn-1', 'nn-2', 'nn-3']], ['i-2', ['nn-1', 'nn-2', 'nn-4', 'nn-5']], ['i-3', []], ['i-4', null]),
    )
    expect(machine).toMatchObject({ nodes: 2, leaves: 2, pods: 2 })
    expect(machine.levels.map((level) => level.names!.toSorted())).toEqual([
      ['nn-3', 'nn-5'],
      ['nn-3-nn-2', 'nn-4'],
      ['nn-2'],
      ['nn-1'],
    ])
    expect(machine.remarks).toEqual(['left out without NetworkNodes: i-3, i-4'])
  })

  test('one page of several pages gives a remark', () => {
    const page = JSON.stringify({ ...JSON.parse(of(['i-1', ['nn-1']])), NextToken: 'SomeEncryptedToken' })
    expect(read('aws:x', page).remarks).toEqual(['the file has a NextToken: further instances are in other pages'])
  })

  test.each([
    ['{}', 'aws:x: Instances: expected a list, found undefined'],
    ['{"Instances":[{}]}', 'aws:x: Instances[0].InstanceId: missing; every instance has an id'],
    [
      '{"Instances":[{"InstanceId":"i","NetworkNodes":"nn"}]}',
      'Instances[0].NetworkNodes: expected a list, found "nn"',
    ],
    [of(['i', null]), 'aws:x: Instances: no instance has NetworkNodes'],
    [of(['i', [null as never]]), 'aws:x: Instances[0].NetworkNodes[0]: expected text, found null'],
    [of(['i', ['a']], ['i', ['a']]), 'Instances[1].InstanceId: host "i" is already at Instances[0].InstanceId'],
    [
      of(['i-1', ['a', 'b', 'c']], ['i-2', ['a', 'd', 'c']]),
      'Instances[1].NetworkNodes[2]: switch "c" is below "d", but below "b" at Instances[0].NetworkNodes[2]; a switch has one parent',
    ],
    [of(['i-1', ['a', 'b']], ['i-2', ['b']]), 'switch "b" is at the top, but below "a" at'],
    [of(['i-1', ['a', 'b', 'a']]), 'switch "a" is below "b", but at the top at Instances[0].NetworkNodes[0]'],
    [
      of(['i-1', ['a', 'b', 'c']], ['i-2', ['a', 'b']]),
      'Instances[1].NetworkNodes[1]: host "i-2" hangs on switch "b", which has switches below; expected a leaf',
    ],
  ])('parseTopology names the fault of %j', (text, message) => {
    expect(() => read('aws:x', text)).toThrow(TopologyError)
    expect(() => read('aws:x', text)).toThrow(message)
  })
})
