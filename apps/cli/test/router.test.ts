import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { complaint, Folder } from './cloister.ts'

const machine = 'kary:4:2'
const small = ['--trace', 'synth:3:80:5', '--topology', machine, '--policy', 'baseline'] as const

/** Router for two levels of switches: the number of the destination node chooses the way up. */
function routerSource(name: string, { version = '0.1.0', start = '[]', up = 'node % ups' } = {}): string {
  return `const make = ({ nodes, levels, leafOfNode, firstNodeOfLeaf }) => {
    if (levels.length !== 2) return { unsupported: 'not two levels' }
    const [{ firstPort, parentOfLink }] = levels
    const port = (level, sw, node) => {
      const leaf = leafOfNode[node]
      if (level === 1)
        return [...parentOfLink.keys()].filter((link) => parentOfLink[link] === sw).findIndex((link) => link >= firstPort[leaf] && link < firstPort[leaf + 1])
      const ups = firstPort[sw + 1] - firstPort[sw]
      return leaf === sw ? node - firstNodeOfLeaf[sw] : firstNodeOfLeaf[sw + 1] - firstNodeOfLeaf[sw] + (${up})
    }
    const all = [...Array(nodes).keys()]
    const rows = ({ switches }, level) => [...Array(switches).keys()].map((sw) => ({ level, sw, nodes: all, ports: all.map((node) => port(level, sw, node)) }))
    return { port, initial: () => levels.flatMap(rows), start: (job) => ${start}, end: () => [] }
  }
  export default { contract: 1, name: '${name}', version: '${version}', claims: { links: 'shared', changes: 'none' }, make }
  `
}

/** Returns a folder with the router `mine` in a file, and the log of a run with the router. */
async function routed(): Promise<Folder> {
  const folder = new Folder()
  folder.write('mine.mjs', routerSource('mine'))
  const made = await folder.cloister('simulate', ...small, '--router', './mine.mjs', '--out', 'run.ndjson')
  expect(made).toMatchObject({ code: 0 })
  return folder
}

describe('--router with a file', () => {
  it('simulate writes name, version and claims of the router, and audit follows the entries', async () => {
    const folder = await routed()
    const [header] = readFileSync(join(folder.path, 'run.ndjson'), 'utf8').split('\n')
    expect(JSON.parse(header).router).toEqual({
      name: 'mine',
      version: '0.1.0',
      claims: { links: 'shared', changes: 'none' },
    })
    const report = await folder.json('audit', 'run.ndjson')
    expect(report).toMatchObject({ ok: true, checked: { 'routes-inside': 1 } })
  })

  it('rerun and audit --rerun need the router of a log that is not built in', async () => {
    const folder = await routed()
    for (const command of [
      ['rerun', 'run.ndjson'],
      ['audit', 'run.ndjson', '--rerun'],
      ['explain', 'run.ndjson', '--job', '9'],
    ]) {
      expect(complaint(await folder.cloister(...command))).toContain(
        'there is no built-in router "mine", and the name in a log never loads other code; --router names the router as a file or a package',
      )
      expect(await folder.cloister(...command, '--router', './mine.mjs')).toMatchObject({ code: 0, stderr: '' })
    }
  })

  it('rerun finds the record in which another version of the router has other entries', async () => {
    const folder = await routed()
    folder.write('other.mjs', routerSource('mine', { version: '0.2.0', up: '(node + 1) % ups' }))
    const { code, stdout, stderr } = await folder.cloister('rerun', 'run.ndjson', '--router', './other.mjs')
    expect(stderr).toContain('the routes are by mine@0.1.0; the rerun uses mine@0.2.0')
    expect(stdout).toContain('"type":"route"')
    expect(code).toBe(1)
  })

  it.each([
    [['rerun', 'run.ndjson', '--router', 'd-mod-k'], '--router: found d-mod-k, expected mine, the router of the log'],
    [['rerun', 'run.ndjson', '--router', 'none'], '--router: found none, expected mine, the router of the log'],
    [['audit', 'run.ndjson', '--router', './mine.mjs'], '--router needs --rerun: without --rerun no router runs'],
    [
      ['rerun', 'run.ndjson', '--policy', 'greedy', '--router', './mine.mjs'],
      '--router is only for the policy and the configuration of the log: another policy makes no routes',
    ],
  ])('%j is refused', async (command, message) => {
    expect(complaint(await (await routed()).cloister(...command))).toContain(message)
  })

  it('a log without routes refuses --router', async () => {
    const folder = new Folder()
    await folder.cloister('simulate', ...small, '--out', 'run.ndjson')
    expect(complaint(await folder.cloister('rerun', 'run.ndjson', '--router', 'random'))).toContain(
      '--router: found random, expected no router: the log has no routes',
    )
  })

  it.each([
    ['export const router = 1', './mine.mjs has no default export, expected the router (found exports: router)'],
    [
      'export default 1',
      'the default export of ./mine.mjs is no router:\n  - the default export is 1, expected an object',
    ],
    [
      "export default { contract: 1, name: 'none', version: '1', claims: { links: 'mine', changes: 'own' } }",
      'the default export of ./mine.mjs is no router:\n  - name is "none", expected a string of lower-case letters, digits and "-", except "none"\n  - version is "1", expected a semantic version, such as "1.0.0"\n  - claims.links is "mine", expected one of owned, shared\n  - make is missing, expected a function (topology) that returns tables or { unsupported }',
    ],
    [routerSource('mine', { up: '9' }), 'router mine (./mine.mjs) failed in initial: switch 0 of level 0: found port'],
    [
      routerSource('mine', { start: "(() => { throw new Error('oh ' + job) })()" }),
      'router mine (./mine.mjs) failed in start of job 1: oh 1',
    ],
    [
      "export default { ...(await import('./good.mjs')).default, make: () => ({ unsupported: 'odd' }) }",
      '--router: mine: does not serve kary:4:2: odd',
    ],
  ])('a wrong router is refused: %s', async (source, message) => {
    const folder = new Folder()
    folder.write('good.mjs', routerSource('mine'))
    folder.write('mine.mjs', source)
    expect(complaint(await folder.cloister('simulate', ...small, '--router', './mine.mjs'))).toContain(message)
  })

  it('a name that no router has leads to the names and the rule of the lookup', async () => {
    const said = complaint(await new Folder().cloister('simulate', ...small, '--router', 'd-mod-x'))
    expect(said).toContain('there is no router "d-mod-x"; did you mean d-mod-k?\n--router takes, in this order:')
  })

  // The test runs a process, because vitest cannot import an installed package of another folder.
  it('router show finds an installed package by its last words', () => {
    const folder = new Folder()
    folder.write(
      'node_modules/cloister-router-short/package.json',
      JSON.stringify({ name: 'cloister-router-short', version: '0.3.0', exports: './index.mjs' }),
    )
    folder.write('node_modules/cloister-router-short/index.mjs', routerSource('short'))
    const { stdout, stderr } = folder.process('router', 'show', 'short', '--topology', machine)
    expect(stderr).toBe('')
    expect(stdout).toContain('short@0.1.0 (cloister-router-short)')
  })

  it('a sweep takes files, and refuses a missing router before the first run', async () => {
    const folder = new Folder()
    folder.write('mine.mjs', routerSource('mine'))
    const cell = { trace: 'synth:3:30', topology: machine, policy: 'baseline', router: ['none', './mine.mjs'] }
    folder.write('sweep.json', JSON.stringify({ cells: [cell] }))
    expect(await folder.json('sweep', 'sweep.json')).toMatchObject({
      results: [{ policy: expect.stringMatching(/^baseline@/) }, { router: 'mine@0.1.0' }],
    })
    folder.write('wrong.json', JSON.stringify({ cells: [{ ...cell, router: 'gone' }] }))
    expect(complaint(await folder.cloister('sweep', 'wrong.json'))).toContain('there is no router "gone"')
    folder.write('url.json', JSON.stringify({ cells: [{ ...cell, router: 'data:text/javascript,1' }] }))
    expect(complaint(await folder.cloister('sweep', 'url.json'))).toContain('expected the name of a router')
  })
})

describe('fuzz --router', () => {
  it('fuzz --router runs every policy with the router, and shows a fault of the router', async () => {
    const folder = new Folder()
    folder.write('mine.mjs', routerSource('mine'))
    const found = await folder.json('fuzz', '--router', './mine.mjs', '--policy', 'baseline', '--runs', '30')
    expect(found).toMatchObject({ runs: 30, fault: null })
    folder.write('wrong.mjs', routerSource('wrong', { start: 'job === "2" ? [{ level: 9 }] : []' }))
    const args = ['fuzz', '--router', './wrong.mjs', '--policy', 'baseline', '--runs', '300', '--json']
    const { fault } = JSON.parse((await folder.cloister(...args)).stdout)
    expect(fault.problem).toContain('router wrong (./wrong.mjs) failed in start of job 2: found level 9')
    expect(fault.reproduce).toContain('--router ./wrong.mjs')
  })
})

describe('router list, show and test', () => {
  it('router list prints the built-in and installed routers, and how --router finds further routers', async () => {
    const folder = new Folder()
    folder.write(
      'node_modules/cloister-router-short/package.json',
      JSON.stringify({ name: 'cloister-router-short', version: '0.3.0', description: 'A short one' }),
    )
    const { stdout } = await folder.cloister('router', 'list')
    expect(stdout).toMatch(
      /^partition +1\.0\.0 +owned +entries for its nodes +The messages of a job stay on the links/m,
    )
    expect(stdout).toMatch(/^d-mod-k +1\.0\.0 +shared +no entries +One table for the whole tree/m)
    expect(stdout).toMatch(/^short +0\.3\.0 +cloister-router-short +A short one$/m)
    expect(stdout).toContain('--router takes, in this order:')
    const listed = (await folder.json('router', 'list')) as { builtin: ReadonlyArray<{ description: string }> }
    for (const { description } of listed.builtin) expect(description).toMatch(/^\w.{20,}\w$/)
    expect(listed).toMatchObject({ installed: [{ name: 'short', version: '0.3.0', package: 'cloister-router-short' }] })
  })

  it('router show prints the claims, and the entries of the tables without jobs', async () => {
    const folder = new Folder()
    expect(await folder.json('router', 'show', 'd-mod-k', '--topology', 'radix:4')).toMatchObject({
      router: 'd-mod-k@1.0.0',
      origin: 'built in',
      claims: { links: 'shared', changes: 'none' },
      initial: [
        { level: 0, switches: 8, entries: 128 },
        { level: 1, switches: 8, entries: 128 },
        { level: 2, switches: 4, entries: 64 },
      ],
    })
    folder.write('mine.mjs', routerSource('mine'))
    const { stdout } = await folder.cloister('router', 'show', './mine.mjs', '--topology', 'radix:4')
    expect(stdout).toContain('mine@0.1.0 (./mine.mjs)')
    expect(stdout).toContain('The router does not serve radix:4: not two levels')
  })

  it('router test passes a good router', async () => {
    const folder = new Folder()
    folder.write('mine.mjs', routerSource('mine'))
    const { code, stdout } = await folder.cloister('router', 'test', './mine.mjs')
    expect(stdout).toContain('The router keeps the contract and its claims.')
    expect(stdout).toMatch(/^ {6}links owned: .*: not claimed$/m)
    expect(code).toBe(0)
  })

  it('router test shows the calls that break a check, and exits with 1', async () => {
    const folder = new Folder()
    folder.write('mine.mjs', routerSource('mine', { start: '[{ level: 0, sw: 0, nodes: [0], ports: [0] }]' }))
    const { code, stdout } = await folder.cloister('router', 'test', './mine.mjs')
    expect(stdout).toContain('FAIL  changes none: no start and no end changes an entry')
    expect(stdout).toContain("tables.start('7', { nodes: ")
    expect(code).toBe(1)
    const result = JSON.parse((await folder.cloister('router', 'test', './mine.mjs', '--json')).stdout)
    expect(result).toMatchObject({ router: 'mine@0.1.0', origin: './mine.mjs', ok: false })
  })

  it('router test --watch is refused for a built-in router', async () => {
    expect(complaint(await new Folder().cloister('router', 'test', 'random', '--watch'))).toContain(
      '--watch: random is a built-in router, and has no file to watch',
    )
  })
})
