import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Folder, complaint, namesIn } from './cloister.ts'

describe('cloister trace', () => {
  it('trace info prints sizes, run times and load of a trace', async () => {
    const folder = new Folder()
    expect((await folder.cloister('trace', 'info', 'synth:16:500')).stdout).toMatch(/jobs +500/)
    expect(namesIn(await folder.json('trace', 'info', 'synth:16:500'))).toMatchInlineSnapshot(`
      {
        "accounting": "null",
        "arrivals": "string",
        "badLines": "number",
        "differingSizes": {
          "jobs": "number",
          "taken": "string",
        },
        "estimates": {
          "known": "number",
          "overrun": "number",
        },
        "filter": "string",
        "jobs": "number",
        "longLines": "number",
        "name": "string",
        "nodeHours": "number",
        "nodeProcs": "null",
        "read": "number",
        "roundedSizes": "number",
        "runTime": {
          "histogram": [
            {
              "from": "number",
              "jobs": "number",
              "to": "number",
            },
          ],
          "max": "number",
          "mean": "number",
          "median": "number",
          "min": "number",
        },
        "sha256": "string",
        "size": {
          "histogram": [
            {
              "from": "number",
              "jobs": "number",
              "to": "number",
            },
          ],
          "max": "number",
          "mean": "number",
          "median": "number",
          "min": "number",
        },
        "skipped": {},
        "smallerThanNode": {
          "jobs": "number",
          "nodeTime": "number",
        },
        "span": "number",
        "unknownStatuses": "number",
      }
    `)
  })

  it('trace info counts the jobs left out of a trace by the reason', async () => {
    const folder = new Folder()
    folder.write(
      'jobs.swf',
      '1 0 -1 100 -1 -1 -1 5 -1 -1 5 -1 -1 -1 -1 -1 -1 -1\n2 3600 -1 100 -1 -1 -1 6 -1 -1 1 -1 -1 -1 -1 -1 -1 -1\n3 7200 -1 -1 -1 -1 -1 6 -1 -1 1 -1 -1 -1 -1 -1 -1 -1\n',
    )
    const { stderr } = await folder.cloister(
      'trace',
      'info',
      'jobs.swf',
      '--procs-per-node',
      '4',
      '--filter',
      'status!=5',
    )
    expect(stderr).toContain(
      'jobs: 3 jobs, 1 kept, skipped 1 by status!=5, 1 by unknown run time; 1 job sizes rounded up to whole nodes',
    )
  })

  it('trace info --skip-bad-lines skips lines without a valid job, and prints the first three skipped lines', async () => {
    const folder = new Folder()
    const job = (id: number): string => `${id} 0 -1 100 -1 -1 -1 5 -1 -1 -4 -1 -1 -1 -1 -1 -1 -1 19`
    folder.write('jobs.swf', [job(1), 'a', 'b\u001b', job(2), 'c', 'd', ''].join('\n'))
    const refused = complaint(await folder.cloister('trace', 'info', 'jobs.swf'))
    expect(refused).toContain('jobs.swf, line 2, field job')
    expect(refused).toContain('--skip-bad-lines skips lines without a valid job')
    const { code, stdout, stderr } = await folder.cloister('trace', 'info', 'jobs.swf', '--skip-bad-lines')
    expect({ code, jobs: /^jobs +(\d+)$/m.exec(stdout)?.[1] }).toEqual({ code: 0, jobs: '2' })
    expect(stderr).toMatch(
      /^jobs: 2 jobs, 2 kept, 2 jobs with a status that SWF does not define; 2 lines with more than 18 fields, the further fields ignored; 4 lines without a valid job left out:\n {2}jobs\.swf, line 2, .*\n {2}.*line 3.*\n {2}.*line 5.*\n {2}and 1 more$/m,
    )
    expect(stderr).not.toContain('\u001b')
    const run = ['--topology', 'radix:4', '--policy', 'baseline', '--skip-bad-lines'] as const
    expect(await folder.json('simulate', '--trace', 'jobs.swf', ...run)).toMatchObject({ jobs: { finished: 2 } })
  })

  it('trace convert keeps user, group, queue and partition of a job', async () => {
    const folder = new Folder()
    const job = '1 0 5 100 8 -1 -1 8 200 -1 1 3 4 -1 2 1 -1 -1'
    folder.write('jobs.swf', `${job}\n`)
    const { stdout } = await folder.cloister('trace', 'convert', 'jobs.swf', '--procs-per-node', '4')
    expect(stdout).toContain('\n1 0 5 100 2 -1 -1 2 200 -1 1 3 4 -1 2 1 -1 -1\n')
  })

  it('trace convert writes a trace from which the same jobs are read', async () => {
    const folder = new Folder()
    expect(
      await folder.cloister('trace', 'convert', 'synth:8:200', '--filter', 'nodes<=8', '--out', 'small.swf'),
    ).toMatchObject({ code: 0, stdout: '' })
    const direct = (await folder.json('trace', 'info', 'synth:8:200', '--filter', 'nodes<=8')) as { sha256: string }
    expect(await folder.json('trace', 'info', 'small.swf')).toMatchObject({ sha256: direct.sha256 })
  })

  it('trace generate writes the same bytes to a file and to standard output', async () => {
    const folder = new Folder()
    await folder.cloister('trace', 'generate', 'synth:16:100:7', '--out', 'a.swf')
    expect((await folder.cloister('trace', 'generate', 'synth:16:100:7')).stdout).toBe(
      readFileSync(join(folder.path, 'a.swf'), 'utf8'),
    )
    expect(complaint(await folder.cloister('trace', 'generate', 'synth:16:100:7', '--out', 'a.swf'))).toContain(
      'a.swf exists; --force overwrites it',
    )
    expect(complaint(await folder.cloister('trace', 'generate', 'synth:0'))).toContain(
      "expected 'synth:MEAN[:COUNT[:SEED]]'",
    )
  })

  it('trace finds the files of presets in the folder CLOISTER_TRACE_DIR', () => {
    const folder = new Folder()
    const { stderr } = folder.run([join(import.meta.dirname, '../dist/cloister.js'), 'trace', 'info', 'kth'], {
      CLOISTER_TRACE_DIR: join(folder.path, 'logs'),
    })
    expect(stderr).toContain(join(folder.path, 'logs'))
  })
})

describe('cloister topology', () => {
  it('topology show prints the shape of a machine', async () => {
    const folder = new Folder()
    expect((await folder.cloister('topology', 'show', 'radix:18')).stdout).toContain('1,458')
    expect(namesIn(await folder.json('topology', 'show', 'cab'))).toMatchInlineSnapshot(`
      {
        "isFullBisection": "boolean",
        "leaves": "number",
        "levels": [
          {
            "level": "string",
            "links": "number",
            "switches": "number",
            "taper": {
              "down": "number",
              "up": "number",
            },
            "upPorts": {
              "max": "number",
              "min": "number",
            },
          },
        ],
        "name": "string",
        "nodes": "number",
        "pgft": {
          "m": [
            "number",
          ],
          "p": [
            "number",
          ],
          "w": [
            "number",
          ],
        },
        "pods": "number",
        "rails": "null",
      }
    `)
  })

  it('topology show reads a topology.conf of Slurm', async () => {
    const folder = new Folder()
    folder.write(
      'topology.conf',
      'SwitchName=leaf0 Nodes=n[0-3]\nSwitchName=leaf1 Nodes=n[4-9]\nSwitchName=top Switches=leaf[0-1]\n',
    )
    expect(await folder.json('topology', 'show', 'slurm:topology.conf')).toMatchObject({
      name: 'slurm:topology.conf',
      nodes: 10,
      leaves: 2,
      pods: 1,
    })
    folder.write('broken.conf', 'SwitchName=leaf0 Nodes=n[0-3\n')
    expect(complaint(await folder.cloister('topology', 'show', 'slurm:broken.conf'))).toMatch(
      /slurm:broken\.conf.*line 1.*Nodes/,
    )
  })

  it('policies that isolate jobs serve a topology.conf of a regular tree, and of a tree without some parts', async () => {
    const folder = new Folder()
    const leaf = (name: string, nodes: string) => `SwitchName=${name} Nodes=${nodes}\n`
    const top = 'SwitchName=top Switches=l[1-2]\n'
    folder.write('regular.conf', `${leaf('l1', 'cn[1-4]')}${leaf('l2', 'cn[5-8]')}${top}`)
    folder.write('uneven.conf', `${leaf('l1', 'cn[1-4]')}${leaf('l2', 'cn[5-7]')}${top}`)
    for (const topology of ['slurm:regular.conf,cables=4', 'slurm:uneven.conf']) {
      const run = ['--trace', 'synth:2:30', '--topology', topology, '--policy', 'jigsaw']
      expect((await folder.cloister('simulate', ...run, '--force', '--out', 'run.ndjson')).code).toBe(0)
      expect(await folder.json('audit', 'run.ndjson')).toMatchObject({ ok: true })
    }
    expect(await folder.json('topology', 'show', 'slurm:uneven.conf')).toMatchObject({
      nodes: 7,
      envelope: { m: [4, 2], w: [1, 1], p: [1, 1] },
      absent: 'node 7',
    })
    expect((await folder.cloister('topology', 'show', 'slurm:uneven.conf')).stdout).toMatch(
      /whole tree +pgft:2;4,2;1,1;1,1\nabsent +node 7\n/,
    )
  })

  it('topology export writes topology.conf, topology.yaml and ibnetdiscover, from which the same machine is read', async () => {
    const folder = new Folder()
    const shape = { m: [4, 3, 2], w: [1, 2, 2], p: [1, 1, 3] }
    for (const [to, file, spec] of [
      ['slurm-conf', 'topology.conf', 'slurm:topology.conf,cables=1,3'],
      ['slurm-yaml', 'topology.yaml', 'slurm:topology.yaml,cables=1,3'],
      ['ibnetdiscover', 'fabric.txt', 'ib:fabric.txt'],
    ] as const) {
      const write = async (...more: ReadonlyArray<string>) =>
        folder.cloister('topology', 'export', 'pgft:3;4,3,2;1,2,2;1,1,3', '--to', to, ...more)
      expect(await write('--out', file)).toMatchObject({ code: 0, stdout: '' })
      expect((await write()).stdout).toBe(readFileSync(join(folder.path, file), 'utf8'))
      expect(await folder.json('topology', 'show', spec)).toMatchObject({ name: spec, nodes: 24, pgft: shape })
      expect(complaint(await write('--out', file))).toContain(`${file} exists; --force overwrites it`)
      const itself = await folder.cloister('topology', 'export', spec, '--to', to, '--out', file, '--force')
      expect(complaint(itself)).toContain(file)
    }
  })

  it('topology show prints the hosts of a fabric that are not nodes of the machine', async () => {
    const folder = new Folder()
    const { stdout } = await folder.cloister('topology', 'export', 'kary:2:2', '--to', 'ibnetdiscover')
    folder.write('fabric.txt', stdout.replaceAll('node3 mlx5_0', 'login mlx5_0'))
    expect((await folder.cloister('topology', 'show', 'ib:fabric.txt')).stdout).toMatch(
      /absent +node 3[^]*1 hosts are no nodes \(login\)/,
    )
  })

  it('topology show refuses an unknown topology with a message', async () => {
    expect(complaint(await new Folder().cloister('topology', 'show', 'ring:5'))).toMatch(
      /"ring:5": no topology has this form; known are radix:R/,
    )
  })
})
