import { existsSync, readFileSync } from 'node:fs'
import * as fs from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { Effect, Layer } from 'effect'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  LeaseDisk,
  localOpensm,
  SlurmCommandError,
  SlurmCommands,
  SubnetManager,
  SubnetManagerError,
} from '@cloister/cluster'
import {
  fabricPorts,
  formatIbnetdiscover,
  formatTopologyConf,
  parseIbnetdiscover,
  parseTopology,
} from '@cloister/topology'
import { complaint, Folder, newestOf } from './cloister.ts'
import { separated } from './separated.ts'

const partition = 'PartitionName=batch OverSubscribe=NO State=UP\n'
const config = 'TopologyPlugin = topology/tree\n'

/** Values of the fields that `squeue` prints for a job that is held for the controller. */
interface HeldJob {
  readonly account?: string
  readonly partition?: string
  readonly features?: string
  readonly licenses?: string
  readonly mark?: string
  readonly restarts?: string
  /** Reason of Slurm for the hold. */
  readonly reason?: string
  /** Time in Unix seconds from which the job may start. */
  readonly eligible?: string
}

function held(
  id: number,
  nodes: number,
  { account = 'physics', partition: named = 'batch', features = '(null)', ...more }: HeldJob = {},
): ReadonlyArray<string> {
  const now = Math.floor(Date.now() / 1000)
  const { licenses = '(null)', mark = 'cloister', restarts = '0', eligible = 'N/A', reason = 'JobHeldUser' } = more
  const times = [String(now - 9), eligible, 'N/A', 'N/A', '10:00']
  const owner = ['ann', account, named, restarts, `node=${nodes}`, '0', 'normal', '(null)']
  const asked = [reason, '(null)', '', features, licenses, 'N/A', mark]
  return [String(id), 'PENDING', ...times, String(nodes), '', ...owner, ...asked]
}

/** Returns fakes of Slurm's commands whose jobs never change, and the list of the requested changes. */
function standing(jobs: ReadonlyArray<ReadonlyArray<string>>, said: Partial<Record<string, string>> = {}) {
  const changes: Array<string> = []
  const answers: Record<string, string> = {
    sinfo: 'idle|node[0-15]\n',
    'scontrol -a -o show partition': partition,
    'scontrol -o show config': config,
    'scontrol show topology': 'SwitchName=leaf0 Level=0 Nodes=node[0-1]\n',
    ...said,
  }
  const layer = Layer.succeed(SlurmCommands, {
    ask: (command, args) => {
      if (command === 'squeue') return Effect.succeed(separated(args, jobs))
      const answer = answers[[command, ...args].join(' ')] ?? answers[command]
      if (answer !== undefined) return Effect.succeed(answer)
      return Effect.fail(new SlurmCommandError({ command, reason: 'no such thing', mayPass: true }))
    },
    change: (args) => Effect.sync(() => void changes.push(args.join(' '))),
  })
  return { layer, changes }
}

const drive = ['drive', 'slurm', '--partition', 'batch', '--topology', 'radix:4', '--out', 'driven.ndjson'] as const
const lines = (folder: Folder): ReadonlyArray<string> =>
  readFileSync(join(folder.path, 'driven.ndjson'), 'utf8').trim().split('\n')

describe('drive slurm', () => {
  it('drive slurm writes a decision to the log before the command to Slurm; job ids are never words of a shell', async () => {
    const folder = new Folder()
    const { layer, changes } = standing([held(7, 3), held(8, 2, { mark: 'mine' })])
    const answer = await folder.cloisterBeside(
      layer,
      ...drive,
      '--policy',
      'baseline',
      '--polls',
      '2',
      '--interval',
      '0.1',
    )
    expect(answer).toMatchObject({ code: 0 })
    // The fake of Slurm ignores commands, so that the controller repeats the command.
    expect(changes).toEqual(
      Array.from({ length: 2 }, () => ['update JobId=7 NumNodes=3 ReqNodeList=node[0-2]', 'release 7']).flat(),
    )
    expect(lines(folder).map((line) => JSON.parse(line).type)).toEqual(['header', 'submit', 'allocate'])
    expect(JSON.parse(lines(folder)[0])).toMatchObject({ origin: 'driven', policy: { name: 'baseline' } })
    expect(newestOf(folder, 'driven.ndjson.lease')).toMatchObject({ ended: true })
  })

  it('drive slurm leaves the queue to Slurm if a program as policy gives no answer within --policy-timeout', async () => {
    const folder = new Folder()
    const { layer, changes } = standing([held(7, 3), held(8, 2), held(9, 1)])
    const script = join(import.meta.dirname, '../../../packages/run/test/programs/misbehaves.mjs')
    const policy = `exec:${process.execPath} ${script} hangs`
    const began = performance.now()
    const answer = await folder.cloisterBeside(layer, ...drive, '--policy', policy, '--policy-timeout', '0.5')
    expect(performance.now() - began).toBeLessThan(2500)
    expect(answer.code).toBe(2)
    expect(answer.stderr).toMatch(/gave no answer within 0\.5 s; its last message.*the queue of batch is left to Slurm/)
    expect(lines(folder).map((line) => JSON.parse(line).type)).toContain('fault')
    for (const job of [7, 8, 9]) expect(changes).toContain(`release ${job}`)
  })

  it('drive slurm kept jobs held whose begin time had come, if the clock of its host was set back', async () => {
    const folder = new Folder()
    const now = Math.floor(Date.now() / 1000)
    const slurmTime = `Configuration data as of ${now + 7200}\n`
    const jobs = [held(7, 3, { eligible: String(now + 3600) }), held(8, 2, { eligible: String(now + 9000) })]
    const { layer, changes } = standing(jobs, { 'scontrol -o show config': `${slurmTime}${config}` })
    const answer = await folder.cloisterBeside(layer, ...drive, '--policy', 'baseline', '--polls', '1')
    expect(answer).toMatchObject({ code: 0 })
    expect(changes).toEqual(['update JobId=7 NumNodes=3 ReqNodeList=node[0-2]', 'release 7'])
  })

  it('drive slurm --dry-run prints the commands for Slurm, and runs none of them', async () => {
    const folder = new Folder()
    const { layer, changes } = standing([held(7, 3)])
    const answer = await folder.cloisterBeside(layer, ...drive, '--policy', 'jigsaw', '--dry-run')
    expect(answer.stdout).toMatch(/^scontrol update JobId=7 NumNodes=3 ReqNodeList=node\S+\nscontrol release 7\n/)
    expect(changes).toEqual([])
    expect(existsSync(join(folder.path, 'driven.ndjson'))).toBe(false)
  })

  it('drive slurm hands back to Slurm jobs that request more than nodes, and jobs that the policy can never place', async () => {
    const folder = new Folder()
    const { layer, changes } = standing([held(7, 3, { features: 'gpu' }), held(8, 17)])
    const answer = await folder.cloisterBeside(layer, ...drive, '--policy', 'jigsaw', '--polls', '1')
    expect(answer).toMatchObject({ code: 0 })
    expect(changes.sort()).toEqual([
      'release 7',
      'release 8',
      'update JobId=7 ReqNodeList= AdminComment=cloister-handed-back',
      'update JobId=8 ReqNodeList= AdminComment=cloister-handed-back',
    ])
  })

  it.each<[string, HeldJob]>([
    ['a constraint with a bar', { features: 'a|b' }],
    ['licenses with a bar', { licenses: 'a:1|b:1' }],
    ['an account with bars', { account: '|0|JobHeldUser|', features: 'a' }],
    ['an account with a line end', { account: 'phys\nics', features: 'a' }],
  ])('drive slurm hands back to Slurm a job with %s, and places the other jobs', async (_, job) => {
    const folder = new Folder()
    const { layer, changes } = standing([held(7, 3, job), held(8, 2)])
    const answer = await folder.cloisterBeside(layer, ...drive, '--policy', 'baseline', '--polls', '1')
    expect(answer).toMatchObject({ code: 0, stderr: '' })
    expect(changes.sort()).toEqual([
      'release 7',
      'release 8',
      'update JobId=7 ReqNodeList= AdminComment=cloister-handed-back',
      'update JobId=8 NumNodes=2 ReqNodeList=node[0-1]',
    ])
  })

  it('drive slurm places a job with bars and line ends in its account, and keeps the account in the log', async () => {
    const folder = new Folder()
    const { layer } = standing([held(7, 3, { account: 'a|b\n9|PENDING|' })])
    await folder.cloisterBeside(layer, ...drive, '--policy', 'baseline', '--polls', '1')
    const records = lines(folder).map((line) => JSON.parse(line))
    expect(records).toMatchObject([{ type: 'header' }, { job: '7', account: 'a|b\n9|PENDING|' }, { type: 'allocate' }])
  })

  it.each<[string, HeldJob, string]>([
    [
      'further text in AdminComment',
      { mark: 'cloister|$(reboot)' },
      'its AdminComment is "cloister|$(reboot)", expected cloister',
    ],
    ['a capital in AdminComment', { mark: 'Cloister' }, 'its AdminComment is "Cloister", expected cloister'],
    ['two partitions', { partition: 'long,batch' }, 'its partition is long,batch, expected batch alone'],
    ['a value of a wrong type', { restarts: 'many' }, 'squeue, line 1, field Restarts: found "many"'],
    ['a request that Slurm refuses', { reason: 'BadConstraints' }, 'Slurm finds no nodes for its request'],
  ])('drive slurm reports a held job with %s once, and hands the job back to Slurm', async (_, job, reason) => {
    const folder = new Folder()
    const { layer, changes } = standing([held(9, 2, job), held(8, 2, { mark: 'mine' })])
    const options = ['--policy', 'baseline', '--polls', '2', '--interval', '0.1'] as const
    const answer = await folder.cloisterBeside(layer, ...drive, ...options)
    expect(answer.code).toBe(0)
    expect(answer.stderr).toContain(`job 9 is held for the controller and cannot be placed: ${reason}`)
    expect(answer.stderr.trim().split('\n')).toHaveLength(1)
    const handBack = ['update JobId=9 ReqNodeList= AdminComment=cloister-handed-back', 'release 9']
    // The fake of Slurm ignores commands, so that the controller repeats the command.
    expect(changes).toEqual([...handBack, ...handBack])
    const watching = ['--partition', 'batch', '--topology', 'radix:4', '--lease', 'none', '--after', '1'] as const
    const watch = await folder.cloisterBeside(layer, 'drive', 'watchdog', ...watching, '--polls', '6', '--json')
    expect(JSON.parse(watch.stdout).handedBack).toBeGreaterThan(0)
    expect(watch.stderr).toContain(`job 9 is held for the controller and cannot be placed: ${reason}`)
  })

  it.each([
    ['throws', "throw new Error('out of ideas')", /place threw Error: out of ideas/],
    ['takes too long', 'for (;;);', /place gave no answer within 2 s/],
  ])('drive slurm hands all jobs back to Slurm if the policy %s, and prints the reason', async (_, code, message) => {
    const folder = new Folder()
    folder.write('mine.ts', policy(code))
    const { layer, changes } = standing([held(7, 3)])
    const options = ['--policy', './mine.ts', '--policy-timeout', '2'] as const
    const said = complaint(await folder.cloisterBeside(layer, ...drive, ...options))
    expect(said).toMatch(message)
    expect(said).toContain('the queue of batch is left to Slurm')
    expect(changes).toEqual(['update JobId=7 ReqNodeList= AdminComment=cloister-handed-back', 'release 7'])
    expect(
      lines(folder)
        .map((line) => JSON.parse(line).type)
        .slice(-2),
    ).toEqual(['fault', 'seal'])
  })

  it('drive slurm leaves a handed-back job that Slurm refuses held, because a release changes nothing', async () => {
    const folder = new Folder()
    const { layer, changes } = standing([held(9, 2, { mark: 'cloister-handed-back', reason: 'BadConstraints' })])
    const answer = await folder.cloisterBeside(layer, ...drive, '--policy', 'baseline', '--polls', '1')
    expect([answer.code, changes]).toEqual([0, []])
  })

  it('drive slurm and drive watchdog print texts of Slurm and of its users without control characters', async () => {
    const folder = new Folder()
    const { layer } = standing([held(9, 2, { mark: 'cloister\u202e\u001b[2J' })])
    const target = ['--partition', 'batch', '--topology', 'radix:4'] as const
    for (const words of [
      [...drive, '--policy', 'baseline', '--polls', '1'],
      ['drive', 'watchdog', ...target, '--lease', 'none', '--after', '1', '--polls', '6'],
    ]) {
      const { stderr } = await folder.cloisterBeside(layer, ...words)
      expect(stderr).toContain('job 9 is held for the controller')
      expect(stderr).toMatch(/\\u202e.*\\u001b/)
    }
  })

  it('drive slurm --otlp sends a span of each poll to the collector, with the looks and the decisions', async () => {
    const folder = new Folder()
    const { layer } = standing([held(7, 3)])
    const bodies: Array<string> = []
    const collector = createServer((request, response) => {
      void text(request).then((body) => {
        bodies.push(`${request.url} ${body}`)
        response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
      })
    })
    await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void collector.close())
    const { port } = collector.address() as AddressInfo
    const options = ['--policy', 'baseline', '--polls', '1', '--otlp', `http://127.0.0.1:${port}`] as const
    expect(await folder.cloisterBeside(layer, ...drive, ...options)).toMatchObject({ code: 0, stderr: '' })
    expect(bodies.every((body) => body.startsWith('/v1/traces {'))).toBe(true)
    for (const span of ['drive.poll', 'drive.look', 'drive.decide', 'drive.change'])
      expect(bodies.join()).toContain(`"name":"${span}"`)
    const refused = await folder.cloisterBeside(layer, ...drive, '--policy', 'baseline', '--otlp', '127.0.0.1:4318')
    expect(complaint(refused)).toContain('--otlp: found 127.0.0.1:4318, expected http://host:port')
  })

  it('drive slurm refuses partitions in which Slurm would not start jobs on the chosen nodes', async () => {
    const folder = new Folder()
    const refusal = async (said: Partial<Record<string, string>>, ...more: ReadonlyArray<string>): Promise<string> =>
      complaint(await folder.cloisterBeside(standing([], said).layer, ...drive, '--policy', 'jigsaw', ...more))
    expect(await refusal({ 'scontrol -o show config': 'TopologyPlugin = topology/block\n' })).toMatch(/BadConstraints/)
    expect(await refusal({ 'scontrol show topology': 'BlockName=b1 Nodes=node[0-7]\n' })).toMatch(/topology\/block/)
    expect(await refusal({ 'scontrol -a -o show partition': partition.replace('NO', 'FORCE:4') })).toMatch(
      /share nodes/,
    )
    expect(await refusal({ 'scontrol -a -o show partition': '' })).toMatch(/Slurm has no partition of this name/)
    expect(await refusal({}, '--queue', 'easy:50,kill')).toMatch(
      /on a real machine no job is killed for the start of another job/,
    )
    expect(await refusal({}, '--interval', '0')).toMatch(/--interval: found 0, expected 0.1 to 3600 seconds/)
    expect(existsSync(join(folder.path, 'driven.ndjson'))).toBe(false)
  })

  it('drive slurm refuses a lease that is an input, an output or a foreign file or folder', async () => {
    const folder = new Folder()
    folder.write('topology.conf', formatTopologyConf(parseTopology('radix:4')))
    folder.write('notes', 'not to be lost\n')
    folder.write('notes.json', '{"id":7}')
    const { layer, changes } = standing([held(7, 3)])
    const lease = async (name: string): Promise<string> => {
      const given = drive.map((each) => (each === 'radix:4' ? 'slurm:topology.conf' : each))
      return complaint(await folder.cloisterBeside(layer, ...given, '--policy', 'baseline', '--lease', name))
    }
    expect(await lease('driven.ndjson')).toMatch(/driven.ndjson cannot be written, because two outputs have this name/)
    expect(await lease('.')).toMatch(/exists and is not a lease/)
    expect(await lease('./topology.conf')).toMatch(/the command reads the same file as topology.conf/)
    for (const name of ['notes', 'notes.json']) expect(await lease(name)).toMatch(/exists and is not a lease/)
    const watch = ['drive', 'watchdog', '--partition', 'batch', '--topology', 'radix:4', '--lease', 'notes'] as const
    expect(complaint(await folder.cloisterBeside(layer, ...watch))).toMatch(/exists and is not a lease/)
    expect(readFileSync(join(folder.path, 'notes'), 'utf8')).toBe('not to be lost\n')
    expect(changes).toEqual([])
  })

  it.each(['', '\0\0\0', '{"id":"cut o'])(
    'drive slurm takes over a lease whose newest file has the content %j, cut off by a crash of the host',
    async (left) => {
      const folder = new Folder()
      folder.write('driven.ndjson.lease/5', left)
      const { layer } = standing([])
      const options = ['--policy', 'baseline', '--polls', '1', '--lease-seconds', '0.1'] as const
      expect(await folder.cloisterBeside(layer, ...drive, ...options)).toMatchObject({ code: 0 })
    },
  )

  describe('--opensm-routes', () => {
    const fabricText = formatIbnetdiscover(parseTopology('radix:4'))
    const files = ['--opensm-routes', 'lfts', '--opensm-pid-file', 'pid', '--routes-within', '0.1'] as const
    const routed = drive.map((each) => (each === 'radix:4' ? 'ib:fabric.txt' : each))
    const fresh = (): Folder => {
      const folder = new Folder()
      folder.write('fabric.txt', fabricText)
      return folder
    }
    /** Returns a fake subnet manager, whose switches take new routes. With `isDeaf`, switches keep the old routes. */
    const opensm = (isDeaf: boolean) => {
      const topology = parseIbnetdiscover(fabricText, 'fabric')
      const ports = fabricPorts(fabricText, topology, 'fabric')
      let dump = ports.switchGuids
        .flat()
        .map((guid) => {
          const rows = ports.nodeGuids.map((node, at) => `0x${at + 1} 001 : (Channel Adapter portguid ${node}: 'n')\n`)
          return `Unicast lids [0x0-0x10] of switch Lid 0 guid ${guid} (s):\n${rows.join('')}`
        })
        .join('')
      const told: Array<string> = []
      const manager = Layer.succeed(SubnetManager, {
        install: (file, pidFile, pieces) =>
          Effect.sync(() => {
            const text = [...pieces].join('')
            told.push(`${file} ${pidFile} ${text.split('\n').length}`)
            if (!isDeaf) dump = text
          }),
        tables: Effect.sync(() => dump),
      })
      return { manager, told }
    }

    it.each([
      ['2 rails of radix:4', /--opensm-routes: writes the tables of one rail, and the machine has 2; .*adapter=NAME/],
      ['radix:4 without node 15', /--opensm-routes: needs a regular tree; parts of its tree are absent \(node 15\)/],
    ])('regression: --opensm-routes refuses the fabric of %s at the start', async (spec, message) => {
      const folder = new Folder()
      folder.write('fabric.txt', formatIbnetdiscover(parseTopology(spec)))
      const { layer } = standing([held(7, 3)])
      const options = ['--policy', 'jigsaw', '--polls', '1', ...files] as const
      const answer = await folder.cloisterBeside(layer, ...routed, ...options)
      expect(answer).toMatchObject({ code: 2 })
      expect(answer.stderr).toMatch(message)
    })

    it('--opensm-routes releases a job after the switches have the routes of the job, and logs the routes', async () => {
      const folder = fresh()
      const { layer, changes } = standing([held(7, 3)])
      const { manager, told } = opensm(false)
      const options = ['--policy', 'jigsaw', '--polls', '1', ...files] as const
      const answer = await folder.cloisterBeside(Layer.merge(layer, manager), ...routed, ...options)
      expect(answer).toMatchObject({ code: 0, stderr: '' })
      // The 20 switches have tables of 16 rows each.
      expect(told).toEqual([`lfts pid ${20 * 17 + 1}`])
      expect(changes).toEqual(['update JobId=7 NumNodes=3 ReqNodeList=node[0-2]', 'release 7'])
      expect(lines(folder).map((line) => JSON.parse(line).type)).toEqual(['header', 'submit', 'allocate', 'route'])
      expect(JSON.parse(lines(folder)[0])).toMatchObject({ router: { name: 'partition' } })
      const other = await folder.cloisterBeside(layer, ...drive, '--policy', 'jigsaw')
      expect(complaint(other)).toMatch(
        /begun with the routes of jobs, and must be continued with them: give --opensm-routes/,
      )
    })

    it('--opensm-routes leaves a job held, and prints a remark, if the switches do not take the routes of the job', async () => {
      const folder = fresh()
      const { layer, changes } = standing([held(7, 3)])
      const { manager, told } = opensm(true)
      const options = ['--policy', 'jigsaw', '--polls', '3', '--interval', '0.1', ...files] as const
      const answer = await folder.cloisterBeside(Layer.merge(layer, manager), ...routed, ...options)
      expect(answer.code).toBe(0)
      expect(answer.stderr).toMatch(
        /the switches do not have the routes of job 7 after 0.1 s; jobs without routes stay held/,
      )
      expect(answer.stderr.split('\n')).toHaveLength(2)
      expect(told.length).toBeGreaterThan(1)
      expect(new Set(changes)).toEqual(new Set(['update JobId=7 NumNodes=3 ReqNodeList=node[0-2]']))
    })

    it('--opensm-routes signals the process in the pid file only if the process is OpenSM, else leaves jobs held', async () => {
      const folder = fresh()
      folder.write('pid', `${process.pid}\n`)
      const { layer, changes } = standing([held(7, 3)])
      const { tables } = await Effect.runPromise(SubnetManager.pipe(Effect.provide(opensm(true).manager)))
      const own = await Effect.runPromise(SubnetManager.pipe(Effect.provide(localOpensm)))
      const manager = Layer.succeed(SubnetManager, { ...own, tables })
      const options = ['--policy', 'jigsaw', '--polls', '1', ...files] as const
      const answer = await folder.cloisterBeside(Layer.merge(layer, manager), ...routed, ...options)
      expect(answer.stderr).toMatch(/pid: process \d+ is ".*", not OpenSM; jobs without routes stay held/)
      expect(changes).not.toContain('release 7')
      expect(readFileSync(join(folder.path, 'lfts'), 'utf8').split('\n')).toHaveLength(20 * 17 + 1)
    })

    it('--opensm-routes queries switches again that do not answer, and reports switches that never answer', async () => {
      const folder = fresh()
      const { layer, changes } = standing([held(7, 3)])
      const own = await Effect.runPromise(SubnetManager.pipe(Effect.provide(opensm(false).manager)))
      let left = 2
      const tables = Effect.suspend(() =>
        left-- > 0 ? Effect.fail(new SubnetManagerError({ subject: 'dump_fts', reason: 'no port' })) : own.tables,
      )
      const manager = Layer.succeed(SubnetManager, { ...own, tables })
      const options = ['--policy', 'jigsaw', '--polls', '1', ...files.slice(0, 4), '--routes-within', '5'] as const
      const both = Layer.merge(layer, manager)
      expect(await folder.cloisterBeside(both, ...routed, ...options)).toMatchObject({ code: 0 })
      expect(changes).toContain('release 7')
      left = Infinity
      const never = complaint(await folder.cloisterBeside(both, ...routed, '--policy', 'jigsaw', ...files))
      expect(never).toBe('driven.ndjson: the log is continued after 4 records\ncloister: dump_fts: no port\n')
    })

    it('--opensm-routes needs --topology ib:FILE, --opensm-pid-file and a policy that allocates links', async () => {
      const folder = fresh()
      folder.write('other.txt', fabricText.replaceAll('S-0002', 'S-0009'))
      const { layer } = standing([held(7, 3)])
      const { manager } = opensm(false)
      const refusal = async (...args: ReadonlyArray<string>): Promise<string> =>
        complaint(await folder.cloisterBeside(Layer.merge(layer, manager), ...args))
      expect(await refusal(...drive, '--policy', 'jigsaw', ...files)).toMatch(
        /needs --topology ib:FILE.* found radix:4/,
      )
      expect(await refusal(...routed, '--policy', 'jigsaw', ...files.slice(0, 2))).toMatch(/needs --opensm-pid-file/)
      expect(await refusal(...routed, '--policy', 'jigsaw', ...files.slice(2))).toMatch(/--opensm-pid-file/)
      expect(await refusal(...routed, '--policy', 'baseline', ...files)).toMatch(
        /--opensm-routes: .*does not give jobs links of their own/,
      )
      const elsewhere = routed.map((each) => each.replace('fabric.txt', 'other.txt'))
      expect(await refusal(...elsewhere, '--policy', 'jigsaw', ...files)).toMatch(
        /the fabric differs from the topology: no switch has the GUID 0x0009/,
      )
      const intoFabric = files.map((each) => each.replace('lfts', 'fabric.txt'))
      expect(await refusal(...routed, '--policy', 'jigsaw', ...intoFabric)).toMatch(/fabric.txt cannot be written/)
      expect(existsSync(join(folder.path, 'lfts'))).toBe(false)
    })
  })

  it('drive slurm has one active controller: others wait for the lease, and a controller that lost the lease stops', async () => {
    const folder = new Folder()
    const other = (number: number): void =>
      void folder.write(`driven.ndjson.lease/${number}`, JSON.stringify({ id: 'other', host: 'elsewhere', pid: 1 }))
    other(1)
    const { layer, changes } = standing([held(7, 3)])
    // A busy machine may stop the controller for a second, and a shorter lease would then end by itself.
    const options = ['--policy', 'jigsaw', '--lease-seconds', '3', '--interval', '0.1'] as const
    const running = folder.cloisterBeside(layer, ...drive, ...options)
    for (let number = 2; number < 11; number++) {
      await new Promise((resolve) => setTimeout(resolve, 50))
      other(number)
      expect(changes).toEqual([])
    }
    while (changes.length === 0) await new Promise((resolve) => setTimeout(resolve, 20))
    other(newestOf(folder, 'driven.ndjson.lease').number + 1)
    const answer = await running
    expect(answer.stderr).toContain('process 1 on elsewhere holds the lease; waiting for the lease')
    expect(complaint(answer)).toContain('another controller has taken the lease')
    expect(newestOf(folder, 'driven.ndjson.lease')).toMatchObject({ id: 'other' })
  })
})

const calls = ['readdir', 'readFile', 'writeFile', 'link', 'mkdir', 'rm', 'rmdir'] as const

/** Returns a file system that refuses some calls for the lease. */
function failingDisk(isRefused: (call: string) => boolean): Layer.Layer<never> {
  const refusing = (call: (typeof calls)[number]): unknown => {
    const given = fs[call] as (...args: ReadonlyArray<unknown>) => Promise<unknown>
    return (...args: ReadonlyArray<unknown>) =>
      isRefused(call) ? Promise.reject(Object.assign(new Error(`EIO: ${call}`), { code: 'EIO' })) : given(...args)
  }
  return Layer.succeed(LeaseDisk, Object.fromEntries(calls.map((call) => [call, refusing(call)])) as never)
}

it('drive slurm ends without a decision if the lease cannot be renewed while Slurm does not answer', async () => {
  const folder = new Folder()
  const { layer, changes } = standing([held(7, 3)])
  let isAsked = false
  const slurm = await Effect.runPromise(SlurmCommands.pipe(Effect.provide(layer)))
  const silent = Layer.succeed(SlurmCommands, {
    ...slurm,
    ask: (command, args) => {
      if (command !== 'squeue') return slurm.ask(command, args)
      isAsked = true
      return Effect.never
    },
  })
  const options = ['--policy', 'baseline', '--lease-seconds', '0.1'] as const
  const disk = failingDisk((call) => isAsked && call !== 'rm')
  const said = complaint(await folder.cloisterBeside(Layer.merge(silent, disk), ...drive, ...options))
  expect(said).toMatch(/driven.ndjson.lease: the lease cannot be read or written: EIO: \w+; the request is tried again/)
  expect(said).toMatch(
    /cloister: \S+: the lease could not be renewed for .*: EIO: .*; nothing is done without the lease/,
  )
  expect(changes).toEqual([])
  expect(lines(folder).filter((line) => !line.includes('"type":"header"'))).toEqual([])
})

it('drive slurm prints a message if the parent folder of the lease does not exist', async () => {
  const folder = new Folder()
  const options = ['--policy', 'baseline', '--lease', 'none/lease'] as const
  expect(complaint(await folder.cloisterBeside(standing([]).layer, ...drive, ...options))).toMatch(
    /cloister: none\/lease: the lease cannot be read or written: ENOENT/,
  )
})

it('drive watchdog continues if the lease file cannot be read for a while, and counts the failures', async () => {
  const folder = new Folder()
  folder.write('lease/3', JSON.stringify({ id: 'gone', host: 'elsewhere', pid: 1 }))
  const { layer, changes } = standing([held(7, 3)])
  const watch = ['drive', 'watchdog', '--partition', 'batch', '--topology', 'radix:4', '--lease', 'lease'] as const
  let reads = 0
  const disk = failingDisk((call) => call === 'readdir' && ++reads > 2 && reads < 5)
  const options = ['--after', '1', '--polls', '8', '--json'] as const
  const answer = await folder.cloisterBeside(Layer.merge(layer, disk), ...watch, ...options)
  expect(answer.code).toBe(0)
  expect(answer.stderr).toContain(
    'lease: the lease cannot be read or written: EIO: readdir; the request is tried again',
  )
  expect(answer.stderr).toContain('lease: the lease can be read and written again')
  expect(JSON.parse(answer.stdout)).toMatchObject({ diskErrors: 2, handedBack: expect.any(Number) })
  expect(changes.slice(0, 1)).toEqual(['update JobId=7 ReqNodeList= AdminComment=cloister-handed-back'])
})

it('drive watchdog hands held jobs to Slurm if no controller renews the lease', async () => {
  const folder = new Folder()
  folder.write('lease/3', JSON.stringify({ id: 'gone', host: 'elsewhere', pid: 1 }))
  const { layer, changes } = standing([held(7, 3), held(8, 2, { mark: 'mine' })])
  const watch = ['drive', 'watchdog', '--partition', 'batch', '--topology', 'radix:4', '--lease', 'lease'] as const
  const answer = await folder.cloisterBeside(layer, ...watch, '--after', '1', '--polls', '6')
  expect(answer).toMatchObject({ code: 0 })
  expect(answer.stderr).toContain('no controller has renewed lease for 1 s: held jobs are left to Slurm')
  expect(changes.slice(0, 2)).toEqual(['update JobId=7 ReqNodeList= AdminComment=cloister-handed-back', 'release 7'])
  expect(changes.every((change) => !change.includes('8'))).toBe(true)
})

/** Returns a policy that places the first job on the empty machine, and answers later requests by the given code. */
function policy(code: string): string {
  return `export default {
  contract: 1, name: 'mine', version: '1.0.0',
  config: { '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value }) } },
  make: () => {
    let asked = 0
    return {
      claims: { links: 'shared', fullBandwidth: false, exactSize: true, monotone: true, complete: false, speedupScenarios: false },
      place: () => {
        if (asked++ === 0) return { ok: true, nodes: Int32Array.of(0, 1, 2), links: [] }
        ${code}
      },
    }
  },
}
`
}
