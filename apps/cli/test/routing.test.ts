import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseIdset } from '@cloister/topology'
import { describe, expect, it } from 'vitest'
import { Folder, complaint, small } from './cloister.ts'

const jigsaw = [...small, '--policy', 'jigsaw'] as const

describe('simulate --router', () => {
  it('simulate --router records the routes that each start and each end of a job changes, and audit accepts the log', async () => {
    const folder = new Folder()
    expect((await folder.cloister('simulate', ...jigsaw, '--router', 'partition', '--out', 'run.ndjson')).code).toBe(0)
    expect((await folder.cloister('audit', 'run.ndjson')).code).toBe(0)
    expect(await folder.json('metrics', 'run.ndjson')).toMatchObject({ jobs: { finished: 300 } })
  })

  it('simulate --router refuses a policy that allocates no links', async () => {
    expect(
      complaint(await new Folder().cloister('simulate', ...small, '--policy', 'baseline', '--router', 'partition')),
    ).toContain('policy baseline does not give jobs links of their own')
  })
})

describe('simulate --router --outages', () => {
  const log = async (...more: ReadonlyArray<string>): Promise<Folder> => {
    const folder = new Folder()
    folder.write('one.swf', '1 0 -1 100 4 -1 -1 4 100 -1 1 -1 -1 -1 -1 -1 -1 -1\n')
    folder.write('outages.ndjson', '{"t":10,"type":"down","links":["0-1"]}\n{"t":50,"type":"up","links":["0-1"]}\n')
    const options = ['--trace', 'one.swf', '--topology', 'radix:4', '--policy', 'jigsaw', '--router', 'partition']
    const words = [...options, '--outages', 'outages.ndjson', ...more, '--out', 'run.ndjson']
    expect(await folder.cloister('simulate', ...words)).toMatchObject({ code: 0 })
    expect(await folder.json('audit', 'run.ndjson', '--rerun', '--trace', 'one.swf')).toMatchObject({ ok: true })
    return folder
  }

  it('state and explain name the nodes between which a job has no route, from the failure to the repair', async () => {
    const folder = await log()
    const reason = 'no links of job 1 that are up lead from node 0 to node 2'
    expect((await folder.cloister('state', 'run.ndjson', '--at', '20')).stdout).toContain(`job 1: ${reason}`)
    expect(await folder.json('state', 'run.ndjson', '--at', '50')).toMatchObject({ unroutable: [] })
    expect((await folder.cloister('explain', 'run.ndjson', '--job', '1')).stdout).toMatch(
      new RegExp(`lost routes +at 10 s: ${reason}`),
    )
    expect(await folder.json('metrics', 'run.ndjson')).toMatchObject({ jobs: { finished: 1 } })
  })

  it('simulate --unroutable kill kills a job that loses its routes, and --requeue starts the job again', async () => {
    expect(await (await log('--unroutable', 'kill')).json('metrics', 'run.ndjson')).toMatchObject({
      jobs: { finished: 0, killed: 1 },
    })
    expect(await (await log('--unroutable', 'kill', '--requeue')).json('metrics', 'run.ndjson')).toMatchObject({
      jobs: { finished: 1, killed: 0 },
    })
  })
})

describe('audit --permutations', () => {
  it.each(['jigsaw', 'laas', 'ta', 'least-constrained', 'mosaic'])(
    'audit --permutations routes permutations over every allocation of the policy %s',
    async (policy) => {
      const folder = new Folder()
      const log = await folder.log('run.ndjson', policy)
      expect(await folder.json('audit', log, '--permutations', '2')).toMatchObject({
        ok: true,
        checked: { permutations: 600 },
        violations: [],
      })
    },
  )

  it('audit --permutations certifies a claim of full bandwidth that no rule of the auditor proves', async () => {
    const folder = new Folder()
    folder.write(
      'leaf.mjs',
      `export default {
      contract: 1, name: 'leaf', version: '1.0.0',
      config: { '~standard': { version: 1, vendor: 'test', validate: (value) => (typeof value === 'object' && value !== null ? { value } : { issues: [{ message: 'expected an object' }] }) } },
      make: (topology) => ({
        claims: { links: 'owned', fullBandwidth: true, exactSize: true, monotone: true, complete: true, speedupScenarios: true },
        place: (state, { nodes }) => {
          for (let leaf = 0; leaf < topology.leaves; leaf++) {
            if (state.freeNodesOnLeaf(leaf) < nodes) continue
            const ids = new Int32Array(64)
            state.freeNodeIds(leaf, ids)
            return { ok: true, nodes: ids.slice(0, nodes), links: [] }
          }
          return { ok: false, code: 'no-placement', constraint: 'free nodes on a leaf' }
        },
      }),
    }`,
    )
    const log = await folder.log('run.ndjson', './leaf.mjs')
    // Without --permutations, the audit routes one permutation of each allocation, because no rule proves the claim.
    const sound = { ok: true, untestedClaims: [], checked: { permutations: 203 } }
    expect(await folder.json('audit', log)).toMatchObject(sound)
    expect(await folder.json('audit', log, '--permutations', '1')).toMatchObject(sound)
  })

  it('audit --permutations refuses the log of a policy that allocates no links, and a wrong number', async () => {
    const folder = new Folder()
    expect(
      complaint(await folder.cloister('audit', await folder.log('run.ndjson', 'baseline'), '--permutations', '2')),
    ).toContain('the policy baseline allocates no links to jobs')
    expect(complaint(await folder.cloister('audit', await folder.log('j.ndjson'), '--permutations', '0'))).toContain(
      'found 0, expected a whole number from 1',
    )
  })
})

describe('state --routes', () => {
  it('state --routes shows the forwarding table of a switch', async () => {
    const folder = new Folder()
    const log = await folder.log()
    const { entries } = (await folder.json('state', log, '--at', '3600', '--routes', '--switch', 'leaf1')) as {
      entries: ReadonlyArray<{ node: string; port: number }>
    }
    // The forwarding table sends traffic for the nodes of the leaf itself to the down-ports of the leaf.
    expect(entries.filter(({ node }) => node === 'node3' || node === 'node4').map(({ port }) => port)).toEqual([0, 1])
    expect((await folder.cloister('state', log, '--at', '3600', '--routes')).stdout).toContain('leaf0: ')
  })

  it('state --routes reads the tables of a log with a router, also for nodes without a job', async () => {
    const folder = new Folder()
    const logOf = async (policy: string, router: string): Promise<string> => {
      await folder.cloister('simulate', ...small, '--policy', policy, '--router', router, '--out', `${router}.ndjson`)
      return `${router}.ndjson`
    }
    const tableOf = (log: string) => folder.json('state', log, '--at', '3600', '--routes', '--switch', 'l2-1')
    const logged = (await tableOf(await logOf('jigsaw', 'partition'))) as { entries: ReadonlyArray<object> }
    expect(logged).toEqual(await tableOf(await folder.log()))
    const whole = await tableOf(await logOf('baseline', 'random'))
    expect(whole).toMatchObject({ scheme: 'random' })
    expect((whole as typeof logged).entries).toHaveLength(54)
    expect(await folder.json('audit', 'random.ndjson')).toMatchObject({ ok: true })
  })

  it('state --routes shows routes by D-mod-k if the policy allocates no links', async () => {
    const folder = new Folder()
    expect(
      await folder.json('state', await folder.log('run.ndjson', 'baseline'), '--at', '3600', '--routes'),
    ).toMatchObject({ scheme: 'd-mod-k' })
  })

  it('state --routes refuses an unknown name of a switch, with a similar name', async () => {
    const folder = new Folder()
    expect(complaint(await folder.cloister('state', await folder.log(), '--routes', '--switch', 'leav1'))).toContain(
      'did you mean leaf1?',
    )
  })
})

/** Path in the output of `state` and `explain`. */
interface Path {
  readonly text: string
  readonly arrives: boolean
  readonly switches: ReadonlyArray<string>
  readonly links: ReadonlyArray<{ readonly name: string; readonly direction: string }>
}

describe('the path of messages between two nodes', () => {
  it('state --from --to follows the tables of state --routes from switch to switch', async () => {
    const folder = new Folder()
    await folder.cloister('simulate', ...jigsaw, '--router', 'partition', '--out', 'run.ndjson')
    const { running } = (await folder.json('state', 'run.ndjson', '--at', '3600')) as {
      readonly running: ReadonlyArray<{ readonly job: string; readonly nodes: string }>
    }
    const { job, nodes } = running.find((each) => parseIdset(each.nodes).length > 9)!
    const [from, to] = [parseIdset(nodes)[0], parseIdset(nodes).at(-1)!].map((node) => `node${node}`)
    const pair = ['--from', from, '--to', to] as const
    const found = (await folder.json('state', 'run.ndjson', '--at', '3600', ...pair)) as Path
    expect(found).toMatchObject({ scheme: 'partition', job, arrives: true, lost: null })
    expect(found.text).toBe([from, ...found.switches, to].join(' → '))
    expect(found.links.map(({ name }) => name)).toEqual(
      found.switches.slice(1).map((next, at) => `${found.switches[at]} -> ${next}`),
    )
    for (const each of found.switches) {
      const table = await folder.json('state', 'run.ndjson', '--at', '3600', '--routes', '--switch', each)
      expect((table as { entries: ReadonlyArray<{ node: string }> }).entries.map(({ node }) => node)).toContain(to)
    }
    const { stdout } = await folder.cloister('state', 'run.ndjson', '--at', '3600', ...pair)
    expect(stdout).toContain(`path    ${found.text}\n`)
    const explained = (await folder.json('explain', 'run.ndjson', '--job', job, '--at', '3600', ...pair)) as {
      readonly routes: { readonly path: Path; readonly pairs: number; readonly lost: number }
    }
    const size = parseIdset(nodes).length
    expect(explained.routes).toMatchObject({ router: 'partition', pairs: size * (size - 1), lost: 0 })
    expect(explained.routes.path.text).toBe(found.text)
  })

  it('state --from --to names the switch that has no entry, and needs two nodes of the machine', async () => {
    const folder = new Folder()
    await folder.cloister('simulate', ...jigsaw, '--router', 'partition', '--out', 'run.ndjson')
    const { running } = (await folder.json('state', 'run.ndjson', '--at', '3600')) as {
      readonly running: ReadonlyArray<{ readonly job: string; readonly nodes: string }>
    }
    const [one, other] = running.map(({ nodes }) => `node${parseIdset(nodes)[0]}`)
    const answer = await folder.cloister('state', 'run.ndjson', '--at', '3600', '--from', one, '--to', other)
    expect(answer.stdout).toMatch(new RegExp(`path +${one} → leaf\\d+, which has no entry for ${other}\n`))
    const state = (...args: ReadonlyArray<string>) => folder.cloister('state', 'run.ndjson', ...args)
    expect(complaint(await state('--from', 'node3'))).toContain('give --from and --to')
    expect(complaint(await state('--from', 'nod3', '--to', '4'))).toContain('did you mean node3?')
    expect(complaint(await state('--from', '3', '--to', '4', '--routes'))).toContain('two different results')
    const explain = (...args: ReadonlyArray<string>) =>
      folder.cloister('explain', 'run.ndjson', '--job', running[0].job, ...args)
    expect(complaint(await explain('--at', '1000000', '--from', one, '--to', one))).toContain(
      'does not run at t = 1000000 s',
    )
    expect(complaint(await explain('--from', other, '--to', one))).toContain(`${other} is not a node of job`)
    const without = await folder.log('without.ndjson')
    expect(complaint(await folder.cloister('explain', without, '--job', '1', '--at', '5'))).toContain(
      'the log has no router',
    )
  })

  it('explain shows the routes of a job under a router whose tables belong to no job', async () => {
    const folder = new Folder()
    await folder.cloister('simulate', ...small, '--policy', 'baseline', '--router', 'd-mod-k', '--out', 'run.ndjson')
    const { stdout } = await folder.cloister('explain', 'run.ndjson', '--job', '6')
    expect(stdout).toMatch(
      /Routes of the job after record \d+, t = \d+ s:\nentries  none of the job alone, by the router d-mod-k\n/,
    )
    expect(await folder.json('explain', await folder.log('without.ndjson'), '--job', '6')).not.toHaveProperty('routes')
  })
})

describe('diff of logs with routers', () => {
  it('diff names the first different entries, and the different tables at the end', async () => {
    const folder = new Folder()
    for (const router of ['d-mod-k', 'random'])
      await folder.cloister(
        'simulate',
        ...small,
        '--policy',
        'baseline',
        '--router',
        router,
        '--out',
        `${router}.ndjson`,
      )
    const answer = await folder.cloister('diff', 'd-mod-k.ndjson', 'random.ndjson')
    expect(answer.code).toBe(1)
    expect(answer.stdout).toContain(
      'the logs are    equal in all decisions and times, different in forwarding tables\n',
    )
    expect(answer.stdout).toMatch(
      /First different forwarding tables, at t = 0 s, after record 1 in a and record 1 in b: [\d,]+ entries at 36 switches\n/,
    )
    expect(answer.stdout).toMatch(/\nleaf0 +[\d,]+ +port 3, to l2-0 +port 5, to l2-2\n/)
    expect(answer.stdout).toMatch(/\nDifferent forwarding tables at the end: [\d,]+ entries at 36 switches\n/)
    const same = await folder.cloister('diff', 'random.ndjson', 'random.ndjson')
    expect(same).toMatchObject({ code: 0 })
    expect(same.stdout).toContain('The forwarding tables of the two logs are equal at every moment.')
  })

  it('diff finds a changed entry of a job, and equal tables at the end', async () => {
    const folder = new Folder()
    await folder.cloister('simulate', ...jigsaw, '--router', 'partition', '--out', 'run.ndjson')
    const lines = readFileSync(join(folder.path, 'run.ndjson'), 'utf8').split('\n')
    // The records after the first seal are not sealed, and can be changed.
    const [firstSeal, second] = lines.flatMap((line, each) => (line.includes('"type":"seal"') ? [each] : []))
    const before = lines.slice(0, second)
    // Record of a job of three nodes on the leaf of these nodes.
    const spelled = /"entries":\["(\d+) (\d+)-\d+:0\+3"\]/
    const at = before.findIndex((line, each) => each > firstSeal && spelled.test(line))
    const [, leaf, first] = spelled.exec(before[at])!
    const changed = before.with(at, before[at].replace(':0+3', ':0'))
    folder.write('a.ndjson', `${before.join('\n')}\n`)
    folder.write('b.ndjson', `${changed.join('\n')}\n`)
    const { stdout } = await folder.cloister('diff', 'a.ndjson', 'b.ndjson')
    expect(stdout).toContain(': 2 entries at 1 switch\n')
    expect(stdout).toContain('At the end, the forwarding tables are equal.')
    const next = Number(first) + 1
    expect(stdout).toMatch(new RegExp(`\\nleaf${leaf} +${next} +port 1, to node${next} +port 0, to node${first}\\n`))
  })
})
