import { BadLineCounter, type ReadingOptions } from '../errors.ts'
import { timeReader } from '../slurm/accounting.ts'
import { SlurmJson, slurmJsonList } from '../slurm/sacct-json.ts'
import type { SwfTrace } from '../swf/swf.ts'
import type { JobRow } from '../table/job-rows.ts'
import { traceOfRows } from '../table/parse-job-table.ts'
import { wholeText } from '../text.ts'

/** Returns true if a text begins like JSON with objects of Kueue. */
export function isWorkloads(start: string): boolean {
  return /^\uFEFF?\s*\{/.test(start) && /"apiVersion"\s*:\s*"kueue\.x-k8s\.io\//.test(start)
}

const HOSTNAME = 'kubernetes.io/hostname'
/** Resources of a container that are GPUs. */
const GPUS = ['nvidia.com/gpu', 'amd.com/gpu']

/** Job with its sizes: pods, and the hosts of the pods if the admission names hosts. */
interface Workload {
  readonly row: JobRow
  readonly hosts: number | undefined
}

/**
 * Reads the Workloads of Kueue (API v1beta1) as `kubectl get workloads -A -o json` prints them. A job is submitted at
 * the creation, starts at the condition `Admitted`, and ends at the condition `Finished`. The size of a job is the number of
 * hosts if the topology assignments of all admitted jobs name hosts, or else the number of pods.
 *
 * @throws TraceError for no List in JSON, and at the first bad job unless `skipBadLines` is true
 */
export function parseWorkloads(text: string | Uint8Array, options: ReadingOptions): SwfTrace {
  const { file } = options
  const badLines = new BadLineCounter(options)
  const whole = typeof text === 'string' ? text : wholeText(text, file, 'at most 256 MiB of JSON')
  const all: Array<Workload> = []
  for (const [at, item] of slurmJsonList(
    whole,
    'items',
    file,
    'the output of kubectl get workloads -o json',
  ).entries()) {
    const workload = badLines.reading(() => workloadOf(item, at + 1))
    if (workload !== undefined) all.push(workload)
  }
  const haveHosts = all.every(({ row, hosts }) => row.wait < 0 || hosts !== undefined)
  const rows = all.map(({ row, hosts }) => (haveHosts && hosts !== undefined ? { ...row, nodes: hosts } : row))
  const lacks = haveHosts ? [] : ['the admissions name no hosts, so a pod is a node; --procs-per-node N puts N pods on a node'] // prettier-ignore
  return {
    ...traceOfRows(rows, file),
    lacks,
    gpus: Float64Array.from(rows, ({ labels }) => labels.gpus ?? 0),
    ...(badLines.count === 0 ? {} : { badLines }),
  }
}

function workloadOf(item: SlurmJson, line: number): Workload {
  if (item.text('kind') !== 'Workload') item.fail('kind', 'Workload')
  const submit = timeOf(item, 'metadata.creationTimestamp')
  const admitted = conditionOf(item, 'Admitted')
  const finished = conditionOf(item, 'Finished')
  const [start, end] = [admitted, finished].map((each) => (each ? timeOf(each, 'lastTransitionTime') : -1))
  const [namespace, name] = [item.text('metadata.namespace'), item.text('metadata.name')]
  if (name === '') item.fail('metadata.name', 'the name of the workload')
  const queue = item.text('spec.queueName')
  const podSets = item.list('spec.podSets')
  const pods = podSets.map((podSet) => podSet.number('count'))
  const gpus = podSets.reduce((sum, podSet, at) => sum + Math.max(0, pods[at]) * gpusOf(podSet), 0)
  const hosts = hostsOf(item)
  const row = {
    line,
    id: namespace === '' ? name : `${namespace}/${name}`,
    submit,
    wait: start >= submit ? start - submit : -1,
    run: start >= 0 && end >= start ? end - start : -1,
    walltime: item.number('spec.maximumExecutionTimeSeconds'),
    nodes: pods.includes(-1) ? -1 : pods.reduce((sum, count) => sum + count, 0),
    status: statusOf(finished),
    labels: { ...(namespace && { account: namespace }), ...(queue && { queue }), name, ...(gpus > 0 && { gpus }) },
  }
  return { row, hosts }
}

/** Returns Unix seconds. @throws TraceError unless the value is a time such as 2026-03-01T00:18:22Z */
function timeOf(fields: SlurmJson, path: string): number {
  const [, time] = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:\.\d+)?Z$/.exec(fields.text(path)) ?? []
  const seconds = time === undefined ? undefined : timeReader(undefined)(time)
  return seconds ?? fields.fail(path, 'a time such as 2026-03-01T00:18:22Z')
}

/** Returns the condition of a type if its status is True. */
function conditionOf(item: SlurmJson, type: string): SlurmJson | undefined {
  return item.list('status.conditions').find((each) => each.text('type') === type && each.text('status') === 'True')
}

/** Returns the status of SWF: 1 completed, 0 failed, -1 not ended. */
function statusOf(finished: SlurmJson | undefined): number {
  if (finished === undefined) return -1
  return finished.text('reason').includes('Fail') ? 0 : 1
}

function gpusOf(podSet: SlurmJson): number {
  let sum = 0
  for (const container of podSet.list('template.spec.containers')) {
    const found = container.value('resources.requests') ?? container.value('resources.limits') ?? {}
    for (const name of GPUS) sum += Number((found as Record<string, unknown>)[name] ?? 0) || 0
  }
  return sum
}

/** Returns the number of different hosts of a job's topology assignments; undefined unless all of them name hosts. */
function hostsOf(item: SlurmJson): number | undefined {
  const hosts = new Set<string>()
  for (const assignment of item.list('status.admission.podSetAssignments')) {
    if (assignment.words('topologyAssignment.levels').at(-1) !== HOSTNAME) return undefined
    for (const domain of assignment.list('topologyAssignment.domains')) hosts.add(domain.words('values').at(-1) ?? '')
  }
  return hosts.size === 0 ? undefined : hosts.size
}
