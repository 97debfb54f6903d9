/**
 * Jobs in JSON of Flux and Kueue. The jobspecs are made to RFC 14 and RFC 25 of Flux, and the Workloads to the API
 * reference of Kueue (v1beta1), not taken from clusters.
 */
import { describe, expect, it, test } from 'vitest'
import { loadWorkloadFrom } from '../src/index.ts'

const load = (value: unknown, more: { skipBadLines?: boolean; procsPerNode?: number; filter?: string } = {}) =>
  loadWorkloadFrom(
    {
      open: (file) => ({
        file,
        text: new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value, undefined, 2)),
        sha256: '0'.repeat(64),
      }),
      find: () => expect.unreachable(),
    },
    'jobs.json',
    more,
  )

const slot = (count: unknown, ...inside: ReadonlyArray<object>): object => ({
  type: 'slot',
  label: 'a',
  count,
  with: inside,
})
const node = (count: unknown, ...inside: ReadonlyArray<object>): object => ({ type: 'node', count, with: inside })
const [cores, gpus] = [
  { type: 'core', count: 2 },
  { type: 'gpu', count: 4 },
]

const jobspec = (resources: object, system: object = {}): object => ({
  version: 1,
  resources: [resources],
  tasks: [{ command: ['app'], slot: 'a', count: { per_slot: 1 } }],
  attributes: { system: { duration: 3600.5, cwd: 'work/flux', ...system } },
})

describe('jobspecs of Flux', () => {
  it('a jobspec a line is a job that runs for its duration, and the reader says so', () => {
    const specs = [
      jobspec(node(4, slot(2, cores, gpus)), { queue: 'batch', bank: 'physics', job: { name: 'lbann' } }),
      jobspec(slot(3, node(2, cores))),
      jobspec({ type: 'rack', count: 2, with: [node({ min: 5, max: 9 }, slot(1, cores))] }),
      jobspec(node(1, slot(1, cores)), { duration: 0 }),
    ]
    const { workload, skipped, lacks, arrivals } = load(specs.map((spec) => JSON.stringify(spec)).join('\n\n'))
    expect(workload.jobs).toMatchObject([
      {
        id: '1',
        submit: 0,
        size: 4,
        runTime: 3_600_500,
        walltime: 3_600_500,
        queue: 'batch',
        account: 'physics',
        name: 'lbann',
        gpus: 32,
      },
      { id: '3', submit: 0, size: 6 },
      { id: '5', submit: 0, size: 10 },
    ])
    expect([skipped, arrivals]).toEqual([{ 'unknown run time': 1 }, 'trace'])
    expect(lacks?.join()).toContain('neither submission nor run time')
  })

  it('a single jobspec on several lines, and a list of jobspecs, are jobs', () => {
    const spec = jobspec(node(4, slot(1, cores)))
    expect([...load(spec).workload.jobs].map(({ size }) => size)).toEqual([4])
    expect([...load([spec, jobspec(node(7, slot(1, cores)))]).workload.jobs].map(({ size }) => size)).toEqual([4, 7])
  })

  test.each([
    [jobspec(slot(10, cores)), 'jobs.json, line 1, field resources: found "[{\\"type\\":\\"slot\\"'],
    [
      [jobspec(node(1)), jobspec(node('two'))],
      'jobs.json, line 2, field resources.count: found "two", expected a whole number',
    ],
    [jobspec(node({ max: 3 })), 'field resources.count: found "{\\"max\\":3}", expected a whole number'],
    [
      jobspec(node(1), { duration: '1h' }),
      'field attributes.system.duration: found "1h", expected seconds, or 0 for no limit',
    ],
    [`${JSON.stringify(jobspec(node(1)))}\n{"resources": }`, 'jobs.json, line 2: found no valid JSON (column 15'],
  ])('a wrong jobspec is an error with line and field (%#)', (value, message) => {
    expect(() => load(value)).toThrow(message)
  })

  it('a bad line can be skipped', () => {
    const lines = [jobspec(slot(10, cores)), jobspec(node(2))].map((spec) => JSON.stringify(spec)).join('\n')
    const { workload, badLines } = load(lines, { skipBadLines: true })
    expect([workload.jobs.length, badLines.count]).toEqual([1, 1])
  })
})

const GPUS = {
  containers: [
    { resources: { requests: { cpu: '1', 'nvidia.com/gpu': '8' } } },
    { resources: { limits: { 'nvidia.com/gpu': 1 } } },
  ],
}

function workload(
  name: string,
  minutes: ReadonlyArray<number>,
  more: { hosts?: ReadonlyArray<string>; spec?: object; reason?: string } = {},
): object {
  const [created, admitted, finished] = minutes.map((each) => `2026-03-01T10:${String(each).padStart(2, '0')}:00Z`)
  const condition = (type: string, lastTransitionTime: string | undefined, reason: string): ReadonlyArray<object> =>
    lastTransitionTime === undefined ? [] : [{ type, status: 'True', lastTransitionTime, reason }]
  return {
    apiVersion: 'kueue.x-k8s.io/v1beta1',
    kind: 'Workload',
    metadata: { name, namespace: 'team-a', creationTimestamp: created },
    spec: {
      queueName: 'user-queue',
      podSets: [
        { name: 'driver', count: 1, template: {} },
        { name: 'main', count: 2, template: { spec: GPUS } },
      ],
      ...more.spec,
    },
    status: {
      conditions: [
        { type: 'Evicted', status: 'False', lastTransitionTime: created, reason: 'x' },
        ...condition('Admitted', admitted, 'Admitted'),
        ...condition('Finished', finished, more.reason ?? 'Succeeded'),
      ],
      ...(more.hosts && {
        admission: {
          clusterQueue: 'q',
          podSetAssignments: [
            {
              topologyAssignment: {
                levels: ['kubernetes.io/hostname'],
                domains: more.hosts.map((host) => ({ values: [host], count: 1 })),
              },
            },
          ],
        },
      }),
    },
  }
}
const list = (...items: ReadonlyArray<object>): object => ({ apiVersion: 'v1', kind: 'List', items })

describe('Workloads of Kueue', () => {
  it('wait from the creation to the admission, and run until the end', () => {
    const jobs = list(
      workload('a', [0, 5, 35], { spec: { maximumExecutionTimeSeconds: 7200, priority: 3 } }),
      workload('b', [1, 2, 3], { reason: 'Failed' }),
      workload('running', [2, 4]),
      workload('waiting', [3]),
    )
    const { workload: read, skipped, lacks, origin } = load(jobs)
    expect(read.epoch).toBe(Date.UTC(2026, 2, 1, 10) / 1000)
    expect(read.jobs).toMatchObject([
      {
        id: 'team-a/a',
        submit: 0,
        size: 3,
        runTime: 1_800_000,
        walltime: 7_200_000,
        recordedWait: 300_000,
        account: 'team-a',
        queue: 'user-queue',
        name: 'a',
        gpus: 18,
      },
      { id: 'team-a/b', submit: 60_000, size: 3, runTime: 60_000, recordedWait: 60_000 },
    ])
    expect(skipped).toEqual({ 'unknown run time': 2 })
    expect([...origin.trace.columns.status]).toEqual([1, 0, -1, -1])
    expect(lacks?.join()).toContain('a pod is a node; --procs-per-node N')
    expect([...load(jobs, { procsPerNode: 2 }).workload.jobs].map(({ size }) => size)).toEqual([2, 2])
  })

  it('have the number of hosts as their size, if all admissions name hosts', () => {
    const jobs = list(workload('a', [0, 5, 35], { hosts: ['n1', 'n2', 'n1'] }), workload('waiting', [3]))
    const { workload: read, lacks } = load(jobs)
    expect([...read.jobs].map(({ size }) => size)).toEqual([2])
    expect(lacks).toEqual([])
  })

  test.each([
    [
      list({ ...workload('a', [0]), kind: 'LocalQueue' }),
      'jobs.json, line 1, field kind: found "LocalQueue", expected Workload',
    ],
    [
      list(workload('a', [0]), { ...workload('b', [0]), metadata: { name: 'b' } }),
      'line 2, field metadata.creationTimestamp: found nothing, expected a time such as',
    ],
    [
      list(workload('a', [0], { spec: { maximumExecutionTimeSeconds: 'x' } })),
      'field spec.maximumExecutionTimeSeconds: found "x", expected a whole number',
    ],
    [list(workload('a', [0, 1, 2]), workload('a', [0, 1, 2])), 'found team-a/a again, as on line 1'],
    ['{"apiVersion": "kueue.x-k8s.io/v1beta1"', 'found no valid JSON'],
    [workload('a', [0, 1, 2]), 'found no list "items", expected the output of kubectl get workloads -o json'],
  ])('a wrong Workload is an error with its place and field (%#)', (value, message) => {
    expect(() => load(value)).toThrow(message)
  })
})
