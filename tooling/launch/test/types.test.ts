import { globSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { checkTypes, programsOf } from '../types.mjs'

const root = resolve(import.meta.dirname, '../../..')

test('programsOf puts every package of this repository into one program, and only packages with equal options together', () => {
  const programs: ReadonlyArray<{ readonly include: ReadonlyArray<string> }> = programsOf(root)
  const packages = programs.map(
    ({ include }) => new Set(include.map((path) => /^(packages\/policies|\w+)\/[^/]+/.exec(relative(root, path))![0])),
  )
  const configured = globSync('{apps,packages,packages/policies,tooling}/*/tsconfig.json', { cwd: root })
  expect(packages.flatMap((each) => [...each]).sort()).toEqual(
    configured.map((file) => file.replace('/tsconfig.json', '')).sort(),
  )
  expect(programs.length).toBeLessThan(10)
  expect(packages.find((each) => each.has('apps/cli'))).toEqual(new Set(['apps/cli']))
})

/** Makes a workspace with the packages a and b, whose sources are the given texts. */
function workspace(a: string, b: string, more: object = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'cloister-types-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  symlinkSync(join(root, 'tsconfig.base.json'), join(folder, 'tsconfig.base.json'))
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }))
  for (const [name, text] of Object.entries({ a, b })) {
    mkdirSync(join(folder, 'packages', name, 'src'), { recursive: true })
    writeFileSync(join(folder, 'packages', name, 'src/index.ts'), text)
    const config = { extends: '../../tsconfig.base.json', include: ['src', 'test'], ...(name === 'b' && more) }
    writeFileSync(join(folder, 'packages', name, 'tsconfig.json'), JSON.stringify(config))
  }
  return folder
}

const sound = 'export const one: number = 1\n'
const wrong = "export const two: number = 'two'\n"

test('checkTypes fails for an error in any package, and also if other options make the package a program of its own', async () => {
  expect(await checkTypes(workspace(sound, sound))).toBe(0)
  for (const more of [{}, { compilerOptions: { lib: ['ES2024', 'DOM'] } }]) {
    expect(await checkTypes(workspace(wrong, sound, more))).toBe(1)
    expect(await checkTypes(workspace(sound, wrong, more))).toBe(1)
  }
  // Only package b has the names of browsers.
  const page = 'export const title: string = document.title\n'
  expect(await checkTypes(workspace(sound, page, { compilerOptions: { lib: ['ES2024', 'DOM'] } }))).toBe(0)
  expect(await checkTypes(workspace(page, sound, { compilerOptions: { lib: ['ES2024', 'DOM'] } }))).toBe(1)
})

test('checkTypes fails for an effect that never runs', async () => {
  const forgotten = "import * as Effect from 'effect/Effect'\nEffect.log('never printed')\n"
  const folder = workspace(sound, forgotten)
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(join(root, 'packages/run/node_modules/effect'), join(folder, 'node_modules/effect'))
  expect(await checkTypes(folder)).toBe(1)
  writeFileSync(
    join(folder, 'packages/b/src/index.ts'),
    forgotten.replace('Effect.log', 'export const log: Effect.Effect<void> = Effect.log'),
  )
  expect(await checkTypes(folder)).toBe(0)
})

test('programsOf refuses a configuration with fields that a common program would ignore', () => {
  expect(() => programsOf(workspace(sound, sound, { exclude: ['src'] }))).toThrow(
    'packages/b/tsconfig.json: expected the fields',
  )
})
