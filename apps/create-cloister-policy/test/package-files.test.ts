import { describe, expect, test } from 'vitest'
import { material } from '../material.mjs'
import { packageFiles, packageOf } from '../src/package-files.ts'
import { exportedAs, nameProblem, titleOf } from '../src/policy-files.ts'

const made = material()
const { baseline, order, ordered, python, router } = made.templates

describe('a standalone package', () => {
  const files = packageFiles(made, baseline, 'first-fit')
  const manifest = JSON.parse(files['package.json'])

  test('package.json of a new package has version ranges, and depends on the packages with the types of the contract', () => {
    expect(manifest.name).toBe('cloister-policy-first-fit')
    const all = { ...manifest.dependencies, ...manifest.peerDependencies, ...manifest.devDependencies }
    expect(Object.keys(manifest.dependencies)).toEqual(['@cloister/placement', '@cloister/topology', 'valibot'])
    for (const [name, range] of Object.entries(all)) expect(range, name).toMatch(/^\^\d+\.\d+\.\d+$/)
  })

  test('packageFiles returns tests, licence, CI file and build settings, and package.json has every named script', () => {
    expect(Object.keys(files)).toEqual(
      expect.arrayContaining([
        'test/first-fit.test.ts',
        '.github/workflows/test.yml',
        'LICENSE',
        'tsconfig.build.json',
      ]),
    )
    expect(files['src/version.ts']).toContain(`'${manifest.version}'`)
    const used = [files['README.md'], files['.github/workflows/test.yml']].join('\n')
    for (const [, script] of used.matchAll(/npm run (\w+)/g)) expect(Object.keys(manifest.scripts)).toContain(script)
  })

  test('packageFiles replaces the name of the template by the name of the new policy in code, tests and README', () => {
    for (const template of [baseline, ordered]) {
      const texts = packageFiles(made, template, 'first-fit')
      expect(texts['src/index.ts']).toContain('export const firstFit: PlacementPolicy<Config>')
      expect(texts['src/index.ts']).toContain("name: 'first-fit'")
      expect(texts['test/first-fit.test.ts']).toContain('policySuite(firstFit')
      for (const text of [texts['src/index.ts'], texts['test/first-fit.test.ts'], texts['README.md']])
        expect(text).not.toMatch(/\bbaseline\b|\bBaseline\b|\bordered\b/)
    }
  })
})

describe('a policy in Python', () => {
  const files = packageFiles(made, python, 'by-size')

  test('the policy has the new name, and the kit comes along', () => {
    expect(files['policy.py']).toContain('name = "by-size"')
    expect(files['policy.py']).toContain('class BySize:')
    expect(files['policy.py']).toContain('cloister.serve(BySize)')
    for (const file of ['policy.py', 'README.md']) expect(files[file]).not.toMatch(/first.?fit/i)
    expect(files['cloister.py']).toBe(python.kit)
  })

  test('package.json has every script that README and CI name, with a version range of cloister', () => {
    const { scripts, devDependencies } = JSON.parse(files['package.json'])
    const used = [files['README.md'], files['.github/workflows/test.yml']].join('\n')
    for (const [, script] of used.matchAll(/npm (?:run )?(fuzz|test)/g)) expect(Object.keys(scripts)).toContain(script)
    expect(devDependencies.cloister).toMatch(/^\^\d+\.\d+\.\d+$/)
  })
})

describe('a standalone package of a router', () => {
  const files = packageFiles(made, router, 'by-size')
  const manifest = JSON.parse(files['package.json'])

  test('package.json names the router, and needs no library besides the packages with the types of the contract', () => {
    expect(manifest.name).toBe('cloister-router-by-size')
    expect(manifest).not.toHaveProperty('peerDependencies')
    expect(manifest.scripts.fuzz).toBe('cloister fuzz --router ./src/index.ts')
  })

  test('code and tests have the name of the new router, and the README tells how to use the router', () => {
    expect(files['src/index.ts']).toContain('export const bySize: Router = {')
    expect(files['src/index.ts']).toContain("name: 'by-size'")
    expect(files['test/by-size.test.ts']).toContain('routerSuite(bySize)')
    expect(files['README.md']).toContain('--policy baseline --router by-size')
    for (const text of Object.values(files)) expect(text).not.toMatch(/\btemplated\b|the policy/)
  })

  test('nameProblem refuses the name of a built-in router', () => {
    const problem = nameProblem('partition', (name) => packageOf(name, 'router'), made.builtIn.router, 'router')
    expect(problem).toContain('--router partition would find the built-in router')
  })
})

describe('a standalone package of a queue order', () => {
  const files = packageFiles(made, order, 'patient')
  const manifest = JSON.parse(files['package.json'])

  test('package.json names the order, and needs no library besides the package with the types of the contract', () => {
    expect(manifest.name).toBe('cloister-order-patient')
    expect(Object.keys(manifest.dependencies)).toEqual(['@cloister/ordering'])
    expect(manifest).not.toHaveProperty('peerDependencies')
  })

  test('code and tests have the name of the new order, and README and CI name only scripts of package.json', () => {
    expect(files['src/index.ts']).toContain('export const patient: QueueOrder<Config> = {')
    expect(files['src/index.ts']).toContain("name: 'patient'")
    expect(files['test/patient.test.ts']).toContain('orderSuite(patient)')
    expect(files['README.md']).toContain('--policy baseline --order patient')
    const used = [files['README.md'], files['.github/workflows/test.yml']].join('\n')
    for (const [, script] of used.matchAll(/npm run (\w+)/g)) expect(Object.keys(manifest.scripts)).toContain(script)
    for (const text of Object.values(files)) expect(text).not.toMatch(/\btemplated\b|the policy/)
  })

  test('nameProblem refuses the name of a built-in order', () => {
    const problem = nameProblem('f1', (name) => packageOf(name, 'order'), made.builtIn.order, 'order')
    expect(problem).toContain('--order f1 would find the built-in order')
    expect(made.builtIn.order).toContain('fair-share')
  })
})

test.each([
  [undefined, 'the name of the policy is missing'],
  ['First', '"First" cannot be the name of a policy'],
  ['1st', '"1st" cannot'],
  ['a--b', '"a--b" cannot'],
  ['../up', '"../up" cannot'],
  ['policy-x', 'leave out policy-: the name x gives the package cloister-policy-x'],
  ['cloister-policy-x', 'leave out cloister-policy-'],
  ['delete', 'delete is a reserved word of JavaScript'],
  ['x'.repeat(41), 'cannot be the name'],
])('nameProblem refuses the name %j', (name, problem) => {
  expect(nameProblem(name, packageOf)).toContain(problem)
})

test('nameProblem refuses the name of a built-in policy, because `--policy NAME` finds the built-in policy', () => {
  expect(nameProblem('jigsaw', packageOf, made.builtIn.policy)).toContain(
    '--policy jigsaw would find the built-in policy',
  )
  expect(nameProblem('first-fit', packageOf, made.builtIn.policy)).toBeUndefined()
})

test('exportedAs spells the name of a policy for code, titleOf for people', () => {
  expect(nameProblem('last-leaf-2', packageOf)).toBeUndefined()
  expect([exportedAs('last-leaf-2'), titleOf('last-leaf-2')]).toEqual(['lastLeaf2', 'Last leaf 2'])
})
