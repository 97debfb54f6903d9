import { auditLog, communicationCosts } from '@cloister/audit'
import { hopBytes, parseMatrix } from '@cloister/communication'
import { type LogRecord, LogWriter, readLog } from '@cloister/eventlog'
import { sha256 } from '@cloister/eventlog/node'
import { describeRun, optionsOfRules, type QueueDiscipline, type RunTimes, simulate } from '@cloister/kernel'
import { bindPolicy, type CommunicationMatrix } from '@cloister/placement'
import { rerun, withMatrices } from '@cloister/replay'
import { parseTopology, seededDraws } from '@cloister/topology'
import { makeWorkload } from '@cloister/workload'
import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { combal } from '../src/index.ts'

const draw = seededDraws(9)
const topology = parseTopology('pgft:3;4,4,2;1,2,1;1,1,2')

/** Files of sparse symmetric matrices, with some entries below 4096 bytes (a page). */
const files = [5, 8, 13].map((ranks) => {
  const bytes = Array.from({ length: ranks }, () => new Array<number>(ranks).fill(0))
  for (let a = 0; a < ranks; a++)
    for (let b = 0; b < a; b++) bytes[a][b] = bytes[b][a] = draw(3) === 0 ? draw(90_000) : 0
  return new TextEncoder().encode(bytes.map((row) => row.join(' ')).join('\n'))
})
const matrices = files.map((file): CommunicationMatrix => {
  const bytes = parseMatrix(new TextDecoder().decode(file))
  return { name: `random-${bytes.length}`, sha256: createHash('sha256').update(file).digest('hex'), bytes }
})

const jobs = Array.from({ length: 60 }, (_, at) => {
  const matrix = matrices[draw(4)]
  return {
    id: `${at}`,
    submit: 1000 * at,
    size: matrix?.bytes.length ?? 1 + draw(9),
    runTime: 1000 * (1 + draw(20)),
    walltime: undefined,
    ...(matrix && { communication: { pattern: `matrix:${matrix.name}`, share: 500, matrix } }),
  }
})

function simulated(balance: 'even' | 'unbalanced', costs: Map<string, readonly [number, number]>) {
  const bound = bindPolicy(combal, topology, { balance })
  const workload = makeWorkload(jobs, { name: 'random', filter: '' })
  const queue: QueueDiscipline = { backfill: 'easy', window: 5 }
  const chunks: Array<Uint8Array> = []
  const header = describeRun({
    workload,
    bound,
    program: 'test',
    options: optionsOfRules({ queue, estimates: 'exact', overrun: 'run-on', refusals: false }, 'trace'),
  })
  const recorder = new LogWriter(header, topology, (chunk) => chunks.push(chunk.slice()), sha256)
  const { placer } = bound
  /**
   * Records the cost of every placement of a job that the kernel asks for; the last cost of a job belongs to its start.
   */
  const runTimes: RunTimes = (state, { job, communication }, { nodes, ranks }, time) => {
    if (communication?.matrix === undefined) return time
    const others = (leaf: number): number => state.communicatingNodesOnLeaf(leaf)
    const { plain, effective } = hopBytes(topology, others, ranks ?? nodes, communication.matrix.bytes)
    costs.set(job, [plain, effective])
    return time
  }
  simulate({
    topology,
    policyName: 'combal',
    placer,
    workload,
    queue,
    recorder,
    estimates: 'exact',
    overrun: 'run-on',
    runTimes,
    refusals: false,
  })
  return { chunks, placer }
}

test.each(['even', 'unbalanced'] as const)(
  'the log of a run with %s parts names the matrices, passes the audit, gives the cost of every job, and has an equal rerun',
  (balance) => {
    const costs = new Map<string, readonly [number, number]>()
    const { chunks, placer } = simulated(balance, costs)
    const records: Array<LogRecord> = [...readLog(chunks, sha256)]
    const [header] = records
    expect(header).toMatchObject({
      workload: {
        matrices: [matrices[2], matrices[0], matrices[1]].map((matrix) => ({
          name: matrix.name,
          sha256: matrix.sha256,
        })),
      },
    })
    expect(records.some((record) => record.type === 'allocate' && record.ranks !== undefined)).toBe(true)
    expect(auditLog(chunks, sha256).ok).toBe(true)

    const audited = [...communicationCosts(records, files, sha256)]
    expect(audited.length).toBe(costs.size)
    for (const { job, hopBytes: plain, effectiveHopBytes } of audited) {
      expect(plain).toBe(costs.get(job)![0])
      expect(effectiveHopBytes / costs.get(job)![1]).toBeCloseTo(1, 9)
    }

    const again = (): Iterable<LogRecord> => withMatrices(records, matrices)
    expect(rerun({ records: again, placer, policyName: 'combal' })).toMatchObject({
      compared: records.length,
      difference: undefined,
    })
    expect(() => [...withMatrices(records, matrices.slice(1))]).toThrow(
      /^the log names the matrix random-5, but no given matrix has its SHA-256/,
    )
    expect(() => [...communicationCosts(records, [], sha256)]).toThrow(
      /^the log names the matrix random-13, but no given file has its SHA-256/,
    )
  },
)
