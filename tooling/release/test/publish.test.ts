import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

const script = resolve(import.meta.dirname, '../publish.mjs')
let folder: string

/** Makes a folder with two tarballs, and an npm that answers by `view` and writes its publications into `calls`. */
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cloister-published-'))
  for (const name of ['@cloister/new', '@cloister/old']) {
    mkdirSync(join(folder, 'package'), { recursive: true })
    writeFileSync(join(folder, 'package/package.json'), JSON.stringify({ name, version: '1.0.0' }))
    spawnSync('tar', ['-czf', `${name.slice('@cloister/'.length)}.tgz`, 'package'], { cwd: folder })
  }
})
afterEach(() => rmSync(folder, { recursive: true }))

function publish(view: string, ...options: ReadonlyArray<string>): { readonly said: string; readonly calls: string } {
  const [bin, calls] = [join(folder, 'bin'), join(folder, 'calls')]
  mkdirSync(bin)
  const npm = `case "$1" in
config) echo http://127.0.0.1:1/some/ ;;
view) ${view} ;;
publish) echo "$*" >> '${calls}'; cat "$NPM_CONFIG_USERCONFIG" >> '${calls}' ;;
esac`
  writeFileSync(join(bin, 'npm'), `#!/bin/sh\n${npm}\n`)
  chmodSync(join(bin, 'npm'), 0o755)
  writeFileSync(calls, '')
  const env = { ...process.env, PATH: bin + delimiter + process.env['PATH'], NPM_TOKEN: 'secret' }
  const { stdout, stderr } = spawnSync(process.execPath, [script, folder, ...options], { encoding: 'utf8', env })
  return { said: stdout + stderr, calls: readFileSync(calls, 'utf8') }
}

const missing = `'{"error":{"code":"E404"}}'`

describe.skipIf(process.platform === 'win32')('publish.mjs', () => {
  test('publishes only the tarballs that the registry does not have, and gives npm the token by a variable', () => {
    const { said, calls } = publish(
      `case "$2" in *old*) echo '"1.0.0"' ;; *) echo ${missing}; exit 1 ;; esac`,
      '--provenance',
    )
    expect(said).toBe('@cloister/new@1.0.0 is published now\n@cloister/old@1.0.0 is published already\n')
    expect(calls).toBe(
      'publish ./new.tgz --access public --ignore-scripts --provenance\nregistry=http://127.0.0.1:1/some/\n//127.0.0.1:1/some/:_authToken=${NPM_TOKEN}\n',
    )
  })

  test('a version that a known package lacks is published', () => {
    expect(publish('true').said).toBe('@cloister/new@1.0.0 is published now\n@cloister/old@1.0.0 is published now\n')
  })

  test('an unreachable registry ends the publication, because its packages are unknown', () => {
    const { said, calls } = publish(`echo '{"error":{"code":"ECONNREFUSED","summary":"no connection"}}'; exit 1`)
    expect(said).toBe('publish: the registry does not say if it has @cloister/new@1.0.0: no connection\n')
    expect(calls).toBe('')
  })

  test('a folder without tarballs is an error', () => {
    for (const name of ['new.tgz', 'old.tgz']) rmSync(join(folder, name))
    expect(publish('true').said).toContain('has no tarball')
  })
})
