import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { SlurmCluster, whatIsMissing } from '@cloister/slurm-cluster'
import { formatTopologyConf, parseTopology } from '@cloister/topology'
import { describe, expect, it } from 'vitest'
import { spread } from '@cloister/sweep'
import { bundle, Folder, complaint } from './cloister.ts'

const cells = { trace: 'synth:4:20', topology: 'radix:4', policy: ['baseline', 'jigsaw'], queue: ['fcfs', 'easy:5'] }

function experiment(): Folder {
  const folder = new Folder()
  folder.write('our cells.json', JSON.stringify({ cells: [cells] }))
  return folder
}

async function emit(folder: Folder, engine: string, ...args: ReadonlyArray<string>): Promise<string> {
  const words = ['sweep', 'our cells.json', '--emit', engine, '--shards', '2', '--sample', '1', '--lease', '5', ...args]
  const { code, stdout, stderr } = await folder.cloister(...words)
  if (code !== 0) throw new Error(stderr)
  expect(stderr).toMatch(
    /1 cells measured: mean [\d.]+ s, longest [\d.]+ s, [\d.]+ MB of memory; all cells take about /,
  )
  return stdout
}

/** Replaces the parts of a script that differ between machines by fixed names. */
const named = (folder: Folder, script: string): string =>
  script
    .replaceAll(folder.path, 'FOLDER')
    .replaceAll(/program\/[0-9a-f]{12}/g, 'program/BUILD')
    .replaceAll(/cloister:[0-9a-f]{12}/g, 'cloister:BUILD')
    .replaceAll(/\d+M/g, 'NM')

const isInstalled = (program: string): boolean => spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0

async function expectWhole(folder: Folder): Promise<void> {
  expect(await folder.json('sweep', 'status', 'our cells.json')).toMatchObject({ cells: 4, done: 4 })
  await folder.cloister('sweep', 'our cells.json', '--out', 'one.ndjson', '--workers', '1')
  const workers = readdirSync(join(folder.path, 'our cells.sweep/workers'))
  // Files of one worker for the sampled cells, and of one worker for each shard.
  expect(workers.length).toBeGreaterThanOrEqual(3)
  // Ignores `build`, because the copied program that ran the cells is another build than the sources in this process.
  const rows = (name: string) =>
    readFileSync(join(folder.path, name), 'utf8').replaceAll(/"build":"[0-9a-f]{12}"/g, '"build":""')
  expect(rows('our cells.results.ndjson')).toBe(rows('one.ndjson'))
}

describe('a sweep by other engines', () => {
  it('sweep --emit prints a script for each workflow engine', async () => {
    const folder = experiment()
    expect(named(folder, await emit(folder, 'slurm', '--workers', '4', '--no-audit'))).toMatchInlineSnapshot(`
      "#!/bin/bash
      # "our cells.json": 4 cells as 2 shards. Submit this script with sbatch.
      # The script can be run again at any time: finished cells do not run again.
      #SBATCH --job-name=cloister
      #SBATCH --array=1-2
      #SBATCH --cpus-per-task=4
      #SBATCH --mem=NM
      #SBATCH --time=6
      #SBATCH --requeue
      #SBATCH --open-mode=append
      cd FOLDER || exit 1
      exec node 'our cells.sweep/program/BUILD/cloister.js' sweep 'our cells.json' --shard "$SLURM_ARRAY_TASK_ID/2" --no-audit --lease 5 --claim --workers 4
      "
    `)
    expect(named(folder, await emit(folder, 'hq'))).toMatchInlineSnapshot(`
      "#!/bin/bash
      # "our cells.json": 4 cells as 2 shards. This script submits a task array to HyperQueue.
      # The script can be run again at any time: finished cells do not run again.
      cd FOLDER || exit 1
      exec hq submit --name cloister --array 1-2 --cpus 1 --time-limit 6m --crash-limit 5 \\
        -- bash -c 'exec node '\\''our cells.sweep/program/BUILD/cloister.js'\\'' sweep '\\''our cells.json'\\'' --shard "$HQ_TASK_ID/2" --lease 5 --claim --workers 1'
      "
    `)
    expect(named(folder, await emit(folder, 'k8s'))).toMatchInlineSnapshot(`
      "# "our cells.json": 4 cells as 2 shards. Submit this file with kubectl apply -f.
      # The script can be run again at any time: finished cells do not run again.
      # Build the image from the Containerfile beside the program. All pods must be able to write the volume, which holds the
      # experiment and its files.
      apiVersion: batch/v1
      kind: Job
      metadata:
        name: cloister-sweep
      spec:
        completionMode: Indexed
        completions: 2
        parallelism: 2
        backoffLimitPerIndex: 5
        template:
          spec:
            restartPolicy: Never
            containers:
              - name: cloister
                image: cloister:BUILD
                workingDir: /sweep
                args: ["sweep","our cells.json","--lease","5","--claim","--workers","1"]
                env:
                  - name: CLOISTER_SHARDS
                    value: "2"
                resources:
                  requests: { cpu: "1", memory: NMi }
                  limits: { memory: NMi }
                volumeMounts:
                  - { name: sweep, mountPath: /sweep }
            volumes:
              - name: sweep
                persistentVolumeClaim: { claimName: cloister-sweep }
      "
    `)
    expect(readFileSync(join(folder.path, 'our cells.sweep/program/Containerfile'), 'utf8')).toMatch(
      /^FROM node:24-slim\nCOPY [0-9a-f]{12} \/opt\/cloister\n/,
    )
    const [program] = readdirSync(join(folder.path, 'our cells.sweep/program')).filter((name) => /^\w{12}$/.test(name))
    const copied = spawnSync(process.execPath, [join('our cells.sweep/program', program, 'cloister.js'), '--version'], {
      cwd: folder.path,
      encoding: 'utf8',
    })
    expect(copied.stdout).toMatch(/^cloister v?\d/)
  })

  it('sweep --emit refuses more shards than cells, and names the largest possible number', async () => {
    const folder = experiment()
    const said = await folder.cloister('sweep', 'our cells.json', '--emit', 'make', '--shards', '9')
    expect(complaint(said)).toContain('--shards: found 9, expected 1 to 4: the experiment has 4 cells')
    expect(existsSync(join(folder.path, 'our cells.sweep/results'))).toBe(false)
  })

  it('sweep --emit first samples a cell of each pair of trace and machine', () => {
    const all = ['a', 'b', 'c'].flatMap((trace) =>
      [1, 2, 3, 4].map((seed) => ({
        digest: `${trace}${seed}`,
        cell: { trace, topology: 'radix:4', policy: 'baseline', queue: 'fcfs', seed },
      })),
    )
    expect(spread(all, 3).map(({ digest }) => digest)).toEqual(['a1', 'b1', 'c1'])
    expect(spread(all, 4)).toHaveLength(4)
  })

  it.skipIf(!isInstalled('make'))('the makefile of sweep --emit runs and merges a sweep', async () => {
    const folder = experiment()
    folder.write('sweep.mk', await emit(folder, 'make'))
    const made = spawnSync('make', ['-j', '2', '-f', 'sweep.mk'], { cwd: folder.path, encoding: 'utf8' })
    expect([made.status, made.stderr]).toEqual([0, ''])
    expect(made.stdout).toContain('4 results in our cells.results.ndjson')
    await expectWhole(folder)
  })

  it.skipIf(!isInstalled('parallel'))('GNU parallel runs and merges the script of sweep --emit', async () => {
    const folder = experiment()
    folder.write('sweep.sh', await emit(folder, 'parallel'))
    const ran = spawnSync('bash', ['sweep.sh'], {
      cwd: folder.path,
      encoding: 'utf8',
      env: { ...process.env, JOBS: '2' },
    })
    expect(ran.status, ran.stderr).toBe(0)
    expect(ran.stdout).toContain('4 results in our cells.results.ndjson')
    await expectWhole(folder)
  })

  const missing = whatIsMissing()
  it.skipIf(missing !== undefined)(
    `the script of sweep --emit runs as a job array of a real Slurm (${missing ?? 'installed'})`,
    async () => {
      const folder = experiment()
      folder.write('sweep.sh', await emit(folder, 'slurm'))
      const topology = parseTopology('radix:4')
      const topologyConf = formatTopologyConf(topology).replaceAll(/node\[\d+-\d+\]/g, 'node[0-1]')
      // The indices of a job array of Slurm must stay below MaxArraySize.
      const slurm = await SlurmCluster.boot(2, topologyConf, { lines: ['MaxArraySize=3'] })
      try {
        const tooMany = ['sweep', 'our cells.json', '--emit', 'slurm', '--shards', '3']
        expect(complaint(folder.run([bundle, ...tooMany], slurm.environment as Record<string, string>))).toContain(
          '--shards: found 3, expected 1 to 2: the experiment has 4 cells, and this Slurm allows job arrays of 2 tasks',
        )
        // Reduces --mem, because the nodes of this private Slurm have 100 MB of memory.
        slurm.run('sbatch', [
          '--wait',
          '--mem=50',
          '--output',
          join(folder.path, '%a.out'),
          join(folder.path, 'sweep.sh'),
        ])
      } finally {
        await slurm.stop()
      }
      expect(readFileSync(join(folder.path, '1.out'), 'utf8')).toContain('shard 1/2: ')
      expect(readFileSync(join(folder.path, '2.out'), 'utf8')).toContain('shard 2/2: ')
      expect((await folder.cloister('sweep', 'merge', 'our cells.json')).code).toBe(0)
      await expectWhole(folder)
    },
  )
})
