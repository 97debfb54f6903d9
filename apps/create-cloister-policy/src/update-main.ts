#!/usr/bin/env node
// cloister-policy update [--dry-run]: carries a package that `npm create cloister-policy` made to a newer contract.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { parseArgs } from 'node:util'
import type { Material } from './package-files.ts'
import { updateOf } from './update.ts'

const usage = 'cloister-policy update [--dry-run], in the folder of a package that npm create cloister-policy made'

/** Updates the package in the working folder. Returns the text for people. @throws Error with a message for people */
function update(words: ReadonlyArray<string>): string {
  const options = { 'dry-run': { type: 'boolean', default: false } } as const
  const { positionals, values } = parseArgs({ args: [...words], options, allowPositionals: true })
  if (positionals.join(' ') !== 'update')
    throw new Error(`found ${positionals.join(' ') || 'no command'}, expected the command update`)
  const material: Material = JSON.parse(readFileSync(new URL('material.json', import.meta.url), 'utf8'))
  const { writes, said, releases } = updateOf(material, (file) =>
    existsSync(file) ? readFileSync(file, 'utf8') : undefined,
  )
  if (Object.keys(writes).length === 0)
    return [...said, `The package has the contract and the template of version ${material.version}.`].join('\n')
  if (!values['dry-run'])
    for (const [file, text] of Object.entries(writes)) {
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, text)
    }
  const changes = releases.map(({ version, text }) => `Changes of the contract in version ${version}:\n\n${text}\n`)
  const next = values['dry-run']
    ? 'Nothing is written, because of --dry-run.'
    : 'Run the tests with the new version: npm install && npm test'
  return [...said, '', ...changes, next].join('\n')
}

try {
  console.log(update(process.argv.slice(2)))
} catch (error) {
  console.error(`cloister-policy: ${(error as Error).message}\n  ${usage}`)
  process.exitCode = 1
}
