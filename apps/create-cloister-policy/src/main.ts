#!/usr/bin/env node
// npm create cloister-policy NAME [-- --template ordered]: makes a policy's package in the folder cloister-policy-NAME.
// With --template python, the policy is a program in Python. With --template router, makes a router's package in the folder
// cloister-router-NAME; with --template order, the package of a queue order in the folder cloister-order-NAME.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { filesAndRecord, type Material, packageOf } from './package-files.ts'
import { nameForm, nameProblem } from './policy-files.ts'

const usage = `npm create cloister-policy NAME [-- --template baseline|ordered|order|python|router], where NAME is ${nameForm}`
const material: Material = JSON.parse(readFileSync(new URL('material.json', import.meta.url), 'utf8'))

/** Makes a package. @param words arguments of the command line @returns the folder and what it exports, or the problem */
function create(
  words: ReadonlyArray<string>,
): { readonly folder: string; readonly kind: string; readonly check: string } | { readonly problem: string } {
  const given = parse(words)
  if ('problem' in given) return given
  const { name, template: asked } = given
  const template = Object.hasOwn(material.templates, asked) ? material.templates[asked] : undefined
  const { kind = 'policy' } = template ?? {}
  const folder = name === undefined ? '' : packageOf(name, kind)
  const problem =
    nameProblem(name, (each) => packageOf(each, kind), material.builtIn[kind], kind) ??
    (template === undefined
      ? `there is no template ${JSON.stringify(asked)}, expected one of ${Object.keys(material.templates).join(', ')}`
      : existsSync(folder)
        ? `the folder ${folder} exists already`
        : undefined)
  if (problem !== undefined) return { problem }
  for (const [file, text] of Object.entries(filesAndRecord(material, asked, name!).files)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    writeFileSync(join(folder, file), text, { flag: 'wx' })
  }
  return { folder, kind, check: template!.kit === undefined ? 'npm run watch' : 'npm test' }
}

function parse(
  words: ReadonlyArray<string>,
): { readonly name: string | undefined; readonly template: string } | { readonly problem: string } {
  const options = { template: { type: 'string', default: 'baseline' } } as const
  try {
    const { positionals, values } = parseArgs({ args: [...words], options, allowPositionals: true })
    if (positionals.length > 1) return { problem: `found the names ${positionals.join(' ')}, expected one name` }
    return { name: positionals[0], template: values.template }
  } catch (error) {
    return { problem: (error as Error).message }
  }
}

const made = create(process.argv.slice(2))
if ('problem' in made) {
  console.error(`create-cloister-policy: ${made.problem}\n  ${usage}`)
  process.exitCode = 1
} else {
  console.log(`Made the package ${made.folder}. The tests of the package pass. Change the ${made.kind}, and run the tests after each change:
  cd ${made.folder} && npm install && ${made.check}`)
}
