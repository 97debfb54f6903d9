import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type LogRecord, resourcesOf } from '@cloister/eventlog'
import { readLogFile } from '@cloister/eventlog/node'
import { SlurmCluster, until, whatAccountingLacks, whatIsMissing } from '@cloister/slurm-cluster'
import { formatTopologyConf, parseTopology } from '@cloister/topology'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { bundle, complaint, Folder } from './cloister.ts'

const missing = whatIsMissing() ?? whatAccountingLacks()
const topology = parseTopology('pgft:2;2,2;1,2;1,1')

/** Text that Slurm takes in the fields of users. slurmdbd stores other signs in place of `"`, `漢` and the last sign. */
const HOSTILE = 'a|b"\'\n=é漢\u202e'
/** With slurmdbd Slurm gives the default account to a job whose account slurmdbd does not know. */
const ACCOUNT = 'a|b=é'

/** The command of docs/clusters.md that writes the file for `cloister import`, for all jobs. */
const documented = /^(SLURM_TIME_FORMAT=%s sacct .*) > sacct.psv$/m
  .exec(readFileSync(join(import.meta.dirname, '../../../docs/clusters.md'), 'utf8'))![1]
  .replace('FROM', 'now-1day')
  .replace('TO', 'now')

/** Plugin that holds jobs with the comment `driven` for the controller. */
const plugin = `function slurm_job_submit(job)
  if job.comment == "driven" then job.priority, job.admin_comment = 0, "cloister" end
  return slurm.SUCCESS
end
function slurm_job_modify() return slurm.SUCCESS end
`

describe.skipIf(missing !== undefined)(
  `reading the accounting of a real Slurm${missing === undefined ? '' : ` (skipped: ${missing})`}`,
  () => {
    let slurm: SlurmCluster
    beforeAll(async () => {
      slurm = await SlurmCluster.boot(topology.nodes, formatTopologyConf(topology), {
        hasAccounting: true,
        lines: ['JobSubmitPlugins=lua'],
        files: { 'job_submit.lua': plugin },
      })
    })
    afterAll(() => slurm?.stop())

    it('observe and import read what sacct prints for jobs with bars, quotes, line ends, = and non-ASCII text in each field of users', async () => {
      const folder = new Folder()
      folder.write('topology.conf', formatTopologyConf(topology))
      const submit = (...more: ReadonlyArray<string>): string => {
        const options = ['--parsable', '-o', '/dev/null', '-N', '1', '-t', '1', ...more, '--wrap', 'sleep 1']
        return slurm.run('sbatch', options).trim()
      }
      const observe = () => {
        const given = ['observe', 'slurm', '--topology', 'slurm:topology.conf', '--out', 'observed.ndjson']
        return folder.run([bundle, ...given, '--polls', '1', '--interval', '0.3'], {
          ...process.env,
          ...slurm.environment,
        } as Record<string, string>)
      }
      const sacct = (...more: ReadonlyArray<string>): string =>
        spawnSync('sh', ['-c', `${documented}${more.join('')}`], { env: slurm.environment, encoding: 'utf8' }).stdout
      slurm.run('sacctmgr', ['-i', 'add', 'account', `Name=${ACCOUNT}`])
      slurm.run('sacctmgr', ['-i', 'add', 'user', 'root', `Account=${ACCOUNT}`])
      expect(observe()).toMatchObject({ code: 0 })

      mkdirSync(join(folder.path, HOSTILE))
      const jobs = [
        submit(`--account=${ACCOUNT}`),
        submit(`--comment=${HOSTILE}`, `--job-name=${HOSTILE}`),
        submit(`--chdir=${join(folder.path, HOSTILE)}`, `--wckey=${HOSTILE}`, `--mail-user=${HOSTILE}`),
      ]
      await until('the accounting knows the ends', () => sacct().split('|COMPLETED|').length > jobs.length)
      // The controller starts without its state, so `observe` gets the jobs from sacct alone.
      await slurm.killController()
      slurm.startController('-c')
      await until('Slurm answers', () => slurm.answers())
      expect(slurm.run('squeue', ['-h', '-t', 'all'])).toBe('')
      expect(observe()).toMatchObject({ code: 0 })
      const observed = runsIn(join(folder.path, 'observed.ndjson'))
      expect(observed.map(({ job }) => job)).toEqual(jobs)
      expect(observed[0].account).toBe(ACCOUNT)
      for (const { qos, priority, started_by } of observed)
        expect([qos, priority! > 0, ['main', 'backfill', 'submit'].includes(started_by!)]).toEqual([
          'normal',
          true,
          true,
        ])

      const imported = async (text: string) => {
        folder.write('sacct.psv', text)
        const given = ['import', 'slurm', '--jobs', 'sacct.psv', '--topology', 'slurm:topology.conf']
        return folder.cloister(...given, '--out', 'imported.ndjson', '--force')
      }
      expect(complaint(await imported(sacct()))).toMatch(/line 2: found 21 values.*sacct --delimiter/s)
      expect(await imported(sacct(" --delimiter='@@'"))).toMatchObject({ code: 0 })
      expect(runsIn(join(folder.path, 'imported.ndjson'))).toEqual(observed)
      // A line end in the name of a job cuts the job's line, whatever the delimiter is.
      expect(complaint(await imported(sacct(',JobName', " --delimiter='@@'")))).toMatch(
        /sacct.psv, line \d+: found \d+ values/,
      )
    })

    it('drive slurm kept the nodes of a job whose changes Slurm refuses, because slurmctld was killed while slurmdbd did not answer', async () => {
      const folder = new Folder()
      folder.write('topology.conf', formatTopologyConf(topology))
      const submit = (nodes: number): string => {
        const options = ['--parsable', '-o', '/dev/null', '-N', String(nodes), '-t', '1', '--comment=driven']
        return slurm.run('sbatch', [...options, '--wrap', 'sleep 1']).trim()
      }
      const takesChanges = (job: string): boolean => {
        const change = ['1', 'scontrol', 'update', `JobId=${job}`, 'Comment=any']
        return spawnSync('timeout', change, { env: slurm.environment }).status === 0
      }
      const state = (job: string): string => slurm.run('squeue', ['-h', '-t', 'all', '-j', job, '-o', '%T']).trim()
      slurm.accounting!.kill('SIGSTOP')
      const whole = submit(topology.nodes)
      await until('slurmctld waits for slurmdbd', () => !takesChanges(whole))
      const behind = submit(1)
      await slurm.saved(() => submit(1))
      await slurm.killController()
      slurm.accounting!.kill('SIGCONT')
      slurm.startController()
      await until('Slurm answers', () => slurm.answers())
      expect(takesChanges(whole)).toBe(false)
      const given = ['drive', 'slurm', '--partition', 'all', '--topology', 'slurm:topology.conf', '--policy', 'jigsaw']
      const times = ['--interval', '0.3', '--start-within', '3', '--command-seconds', '1']
      const controller = spawn(process.execPath, [bundle, ...given, ...times, '--out', 'driven.ndjson'], {
        cwd: folder.path,
        env: slurm.environment,
        stdio: ['ignore', 'ignore', 'pipe'],
      })
      onTestFinished(() => void controller.kill('SIGKILL'))
      let said = ''
      controller.stderr.on('data', (text: Buffer) => (said += String(text)))
      await until('the job behind it is over', () => state(behind) === 'COMPLETED')
      const refused = `job ${whole} is held for the controller and cannot be placed: Slurm refuses the changes`
      await until('the controller reports the refused changes', () => said.includes(refused))
      // slurmctld asks slurmdbd again after a failed request.
      slurm.accounting!.kill('SIGKILL')
      submit(1)
      await until('it is handed back, and Slurm runs it', () => state(whole) === 'COMPLETED')
    })
  },
)

/** Returns the runs of jobs in a log with times in Unix seconds, in the order of the jobs. */
function runsIn(path: string) {
  const log: ReadonlyArray<LogRecord> = [...readLogFile(path)]
  const [header] = log
  const epoch = header.type === 'header' ? header.epoch! : 0
  const at = (record: { readonly t: number; readonly happened?: number }): number =>
    epoch + (record.happened ?? record.t)
  return log
    .flatMap((submit) => {
      if (submit.type !== 'submit') return []
      const start = log.find((record) => record.type === 'allocate' && record.job === submit.job)
      const end = log.find((record) => record.type === 'release' && record.job === submit.job)
      if (start?.type !== 'allocate' || end?.type !== 'release') return []
      const { job, account, user, qos, priority } = submit
      const { started_by } = start
      const labels = { account, user, qos, priority, started_by }
      return [{ job, ...labels, nodes: [...resourcesOf(start).nodes], start: at(start), end: at(end) }]
    })
    .sort((a, b) => Number(a.job) - Number(b.job))
}
