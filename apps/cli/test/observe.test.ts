import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { LogFollower } from '@cloister/eventlog/node'
import { Effect, Layer } from 'effect'
import { describe, expect, it } from 'vitest'
import { SlurmCommandError, SlurmCommands } from '@cloister/cluster'
import { sacctFields } from '@cloister/trace-io'
import { complaint, Folder } from './cloister.ts'
import { separated } from './separated.ts'

interface Cluster {
  jobs: ReadonlyArray<ReadonlyArray<string>>
  nodes: string
  accounting?: ReadonlyArray<ReadonlyArray<string>>
}

/** Returns the values of the fields that `squeue` prints for a job. */
function job(
  id: number,
  state: string,
  start: number,
  end: number,
  nodes: string,
  account = 'physics',
): ReadonlyArray<string> {
  const now = Math.floor(Date.now() / 1000)
  const time = (ago: number): string => (ago < 0 ? 'N/A' : String(now - ago))
  const size = nodes === '' ? 2 : nodes.split(',').length
  const times = [String(now - 90), String(now - 90), time(start), time(end), '10:00']
  return [
    String(id),
    state,
    ...times,
    String(size),
    nodes,
    'ann',
    account,
    'batch',
    '0',
    `node=${size}`,
    '9',
    'normal',
    '(null)',
  ]
}

/** Returns fakes of Slurm's commands that answer from lists in order, or throw a listed error; `asked` gets queries. */
function answering(
  polls: ReadonlyArray<Cluster | Error>,
  asked: Array<string> = [],
  onLook: (at: number) => void = () => {},
): Layer.Layer<SlurmCommands> {
  let at = -1
  return Layer.succeed(SlurmCommands, {
    change: () => Effect.die('who watches changes nothing'),
    ask: (command, args) =>
      Effect.suspend(() => {
        asked.push([command, ...args].join(' '))
        if (command === 'squeue') onLook(++at)
        const look = polls[Math.min(at, polls.length - 1)]
        const fail = (reason: string): Effect.Effect<never, SlurmCommandError> =>
          Effect.fail(new SlurmCommandError({ command, reason, mayPass: reason !== 'there is no such program' }))
        if (look instanceof Error) return fail(look.message)
        if (command === 'squeue') return Effect.succeed(separated(args, look.jobs))
        if (command === 'sinfo') return Effect.succeed(look.nodes)
        if (command === 'scontrol') return Effect.succeed('MinJobAge = 300 sec\n')
        return look.accounting === undefined
          ? fail('accounting storage is disabled')
          : Effect.succeed(separated(args, look.accounting))
      }),
  })
}

const all = 'idle|node[0-15]\n'
const observe = ['observe', 'slurm', '--topology', 'radix:4', '--out', 'live.ndjson', '--interval', '0.1'] as const
const types = (folder: Folder): ReadonlyArray<string> =>
  readFileSync(join(folder.path, 'live.ndjson'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .filter(({ type }) => type !== 'seal' && type !== 'header')
    .map(({ type, job: id, nodes }) => [type, id, nodes].filter((each) => each !== undefined).join(' '))

describe('observe slurm', () => {
  it('observe writes events as they happen, and a program that follows the log sees the events', async () => {
    const folder = new Folder()
    const followed: Array<unknown> = []
    let follower: LogFollower | undefined
    const asked: Array<string> = []
    const slurm = answering(
      [
        { jobs: [job(1, 'RUNNING', 60, -1, 'node0,node1'), job(2, 'PENDING', -1, -1, '')], nodes: all },
        {
          jobs: [job(1, 'COMPLETED', 60, 0, 'node0,node1'), job(2, 'RUNNING', 0, -1, 'node2,node3')],
          nodes: 'idle|node[0-14]\ndown*|node15\n',
        },
      ],
      asked,
      (at) => {
        if (at === 0) return
        follower ??= new LogFollower(join(folder.path, 'live.ndjson'))
        for (let read = follower.next(); read !== undefined; read = follower.next()) followed.push(...read)
        expect(follower.watch()).toBe('written')
      },
    )
    const options = ['--polls', '4', '--partition', 'batch,long', '--shadow', 'jigsaw,baseline']
    const answer = await folder.cloisterBeside(slurm, ...observe, ...options, '--json')
    follower!.close()
    expect(answer).toMatchObject({ code: 0 })
    expect(JSON.parse(answer.stdout)).toMatchObject({ polls: 4, withoutEnd: 0, log: { file: 'live.ndjson' } })
    expect(types(folder)).toEqual([
      'submit 1',
      'submit 2',
      'allocate 1 0-1',
      'finish 1',
      'release 1',
      'allocate 2 2-3',
      'down 15',
    ])
    expect(followed.length).toBe(9)
    expect(asked.filter((each) => /^(?:squeue|sinfo)/.test(each)).every((each) => each.endsWith('=batch,long'))).toBe(
      true,
    )
    const shadow = readFileSync(join(folder.path, 'live.shadow.ndjson'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(shadow.filter(({ policy }) => policy.startsWith('baseline@'))).toMatchObject([
      { job: '1', started_on: '0-1', decision: 'same', nodes: '0-1' },
      { waiting: 1, could_start: ['2'] },
      { job: '2', started_on: '2-3', decision: 'elsewhere', nodes: '0-1' },
    ])
    expect((await folder.cloister('metrics', 'live.ndjson', '--by', 'account')).stdout).toMatch(/^physics +2/m)
  })

  it('observe continues the log after a stop, and takes the ends of jobs that the controller has forgotten from sacct', async () => {
    const folder = new Folder()
    const now = Math.floor(Date.now() / 1000)
    const first = { jobs: [job(1, 'RUNNING', 60, -1, 'node0'), job(2, 'RUNNING', 60, -1, 'node1')], nodes: all }
    expect(await folder.cloisterBeside(answering([first]), ...observe, '--polls', '1')).toMatchObject({ code: 0 })
    const times = [now - 90, now - 90, now - 60, now, 60, 10].map(String)
    const ended = [
      '1',
      '1',
      ...times,
      '1',
      'TIMEOUT',
      'batch',
      'ann',
      'a|b\n1|',
      'node0',
      'node=1',
      '',
      'normal',
      '',
      '9',
      '',
    ]
    const accounting = [sacctFields, ended]
    const later = { jobs: [job(3, 'RUNNING', 0, -1, 'node0')], nodes: all, accounting }
    const known = await folder.cloisterBeside(answering([later]), ...observe, '--polls', '1')
    expect(known.stderr).toContain('live.ndjson has 5 records, and the command appends to this log')
    expect(known.stdout).toContain('unknown ends  1 jobs')
    expect(types(folder).slice(4).sort()).toEqual([
      'allocate 3 0',
      'finish 2',
      'kill 1',
      'release 1',
      'release 2',
      'submit 3',
    ])
    const unknown = await folder.cloisterBeside(answering([{ jobs: [], nodes: all }]), ...observe, '--polls', '1')
    expect(unknown.stderr).toContain(
      'accounting storage is disabled; the ends of jobs that the controller has forgotten are unknown',
    )
    expect(await folder.json('audit', 'live.ndjson').catch((error: Error) => error.message)).toMatch(/exit code 3/)
  })

  it('observe writes an account with bars and line ends unchanged into the log', async () => {
    const folder = new Folder()
    const jobs = [job(1, 'RUNNING', 60, -1, 'node0', 'a|b\n7|RUNNING'), job(2, 'RUNNING', 60, -1, 'node1')]
    const answer = await folder.cloisterBeside(answering([{ jobs, nodes: all }]), ...observe, '--polls', '1')
    expect(answer).toMatchObject({ code: 0, stderr: '' })
    expect(types(folder)).toEqual(['submit 1', 'submit 2', 'allocate 1 0', 'allocate 2 1'])
    expect(readFileSync(join(folder.path, 'live.ndjson'), 'utf8')).toContain('"account":"a|b\\n7|RUNNING"')
  })

  it('observe waits for a controller that does not answer, prints one remark, and writes a gap record', async () => {
    const folder = new Folder()
    const look = { jobs: [job(1, 'RUNNING', 60, -1, 'node0')], nodes: all }
    const slurm = answering([look, new Error('Unable to contact slurm controller'), new Error('the same'), look])
    const answer = await folder.cloisterBeside(slurm, ...observe, '--polls', '2')
    expect(answer).toMatchObject({ code: 0 })
    expect(answer.stderr.match(/Unable to contact slurm controller; the query is repeated/g)).toHaveLength(1)
    expect(answer.stderr).toContain('Slurm answers again')
    expect(types(folder)).toEqual(['submit 1', 'allocate 1 0', 'gap'])
  })

  it('observe prints remarks on jobs on shared or unknown nodes, and messages for wrong answers and options', async () => {
    const folder = new Folder()
    const shared = [
      job(1, 'RUNNING', 60, -1, 'node0'),
      job(2, 'RUNNING', 50, -1, 'node0'),
      job(3, 'RUNNING', 50, -1, 'login'),
    ]
    const said = await folder.cloisterBeside(answering([{ jobs: shared, nodes: all }]), ...observe, '--polls', '2')
    expect(said.stderr).toContain('job 2 runs on nodes that another job holds')
    expect(said.stderr).toContain('job 3 runs on nodes that the machine does not have')
    expect(said.stdout).toMatch(/^shared nodes +1 jobs$/m)

    const wrong = async (look: Cluster | Error, options: Record<string, string> = {}): Promise<string> => {
      const given = { topology: 'radix:4', out: 'live.ndjson', interval: '0.1', polls: '1', ...options }
      const flags = Object.entries(given).flatMap(([name, value]) => [`--${name}`, value])
      return complaint(await folder.cloisterBeside(answering([look]), 'observe', 'slurm', ...flags))
    }
    expect(await wrong(new Error('there is no such program'))).toContain('squeue: there is no such program')
    expect(await wrong({ jobs: [['1', 'RUNNING']], nodes: all })).toContain(
      'squeue, line 1: found "1 RUNNING", expected 17 values, each followed by the separator in the arguments of squeue',
    )
    expect(await wrong({ jobs: [], nodes: 'idle\n' })).toContain(
      'sinfo, line 1: found "idle", expected a state and a list of nodes, such as idle|node[0-3]',
    )
    expect(await wrong({ jobs: [], nodes: all }, { interval: '0' })).toContain('--interval: found 0')
    expect(await wrong({ jobs: [], nodes: all }, { polls: '0' })).toContain('--polls: found 0')
    expect(await wrong({ jobs: [], nodes: all }, { out: 'live.ndjson.zst' })).toContain('cannot be compressed')
    expect(await wrong({ jobs: [], nodes: all }, { topology: 'radix:6' })).toContain(
      'the file is the log of another run: record 0',
    )
    expect(await wrong({ jobs: [], nodes: all }, { out: 'new.ndjson', shadow: 'nobody' })).toContain(
      'there is no policy "nobody"',
    )
    folder.write(
      'capped.mjs',
      `export default { contract: 1, name: 'capped', version: '1.0.0',
        config: { '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value }) } },
        make: () => ({ linkCapacity: 1000, place: () => ({ ok: false, code: 'too-few-nodes', free: 0 }),
          claims: { links: 'capped', fullBandwidth: false, exactSize: true, monotone: true, complete: true, speedupScenarios: false } }) }`,
    )
    expect(await wrong({ jobs: [], nodes: all }, { out: 'new.ndjson', shadow: './capped.mjs' })).toContain(
      "--shadow: found ./capped.mjs: the log's policy claims the links shared, but the asked policy capped",
    )
    expect(existsSync(join(folder.path, 'new.ndjson'))).toBe(false)
    // The existing log ends in the middle of the first line.
    folder.write('begun.ndjson', '{"seq":0,"type":"header","format":"cloister-log","version":')
    const begun = ['--topology', 'radix:4', '--out', 'begun.ndjson', '--polls', '1']
    const answer = await folder.cloisterBeside(answering([{ jobs: [], nodes: all }]), 'observe', 'slurm', ...begun)
    expect(answer).toMatchObject({ code: 0, stderr: '' })
    await folder.log('run.ndjson')
    expect(await wrong({ jobs: [], nodes: all }, { out: 'run.ndjson' })).toContain('is no log of cloister observe')
  })
})
