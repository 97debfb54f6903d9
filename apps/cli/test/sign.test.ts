import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { zstdCompressSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { complaint, Folder } from './cloister.ts'

/** Returns a folder with a log, a key and a signature of the log. */
async function signed(): Promise<Folder> {
  const folder = new Folder()
  await folder.log()
  const { code, stderr } = await folder.cloister('sign', 'run.ndjson', '--key', 'me.key', '--new-key')
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr:
      'me.key is your private key: show the file to nobody. me.key.pub is the public key: give the file to everybody who verifies your logs.\n',
  })
  return folder
}

const read = (folder: Folder, name: string): string => readFileSync(join(folder.path, name), 'latin1')

/** Computes every seal of a changed log again, as a forger does. State digests stay, because no allocation changed. */
function resealed(lines: ReadonlyArray<string>): string {
  let [previous, segment] = ['', '']
  let log = ''
  for (const line of lines) {
    const [covered] = line.split(',"hash"')
    if (!line.includes('"type":"seal"')) {
      segment += `${line}\n`
      log += `${line}\n`
      continue
    }
    previous = createHash('sha256').update(previous).update(segment).update(covered).digest('base64url')
    log += `${covered},"hash":"${previous}"}\n`
    segment = ''
  }
  return log
}

describe('the signature of a log', () => {
  it('the signature of a log is valid for the log in any compression, and only for the key of the signer', async () => {
    const folder = await signed()
    const verify = (...more: string[]) => folder.cloister('verify', 'run.ndjson', '--key', 'me.key.pub', ...more)
    const { code, stdout } = await verify()
    expect(code).toBe(0)
    expect(stdout).toContain('ok: the signature covers every record')
    expect(JSON.parse((await verify('--json')).stdout)).toMatchObject({ ok: true, problem: null })
    expect(statSync(join(folder.path, 'me.key')).mode & 0o077).toBe(0)

    folder.write('run.ndjson.zst', zstdCompressSync(readFileSync(join(folder.path, 'run.ndjson'))))
    const compressed = ['verify', 'run.ndjson.zst', '--signature', 'run.ndjson.sig', '--key', 'me.key.pub']
    expect((await folder.cloister(...compressed)).code).toBe(0)

    await folder.cloister('sign', 'run.ndjson', '--key', 'other.key', '--new-key', '--out', 'other.sig')
    const other = await folder.cloister('verify', 'run.ndjson', '--key', 'other.key.pub')
    expect(other.code).toBe(1)
    expect(other.stdout).toContain(
      'the signature is not by the owner of other.key.pub: the signature file names the public key',
    )
  })

  it('the signature of a log is invalid for a changed log with new seals', async () => {
    const folder = await signed()
    const lines = read(folder, 'run.ndjson').trimEnd().split('\n')
    const forged = resealed(lines.map((line) => line.replace('"estimates":"exact"', '"estimates":"exact","seed":2')))
    expect(resealed(lines)).toBe(read(folder, 'run.ndjson'))
    folder.write('run.ndjson', forged)
    // Without the signature, the audit does not notice the change.
    expect((await folder.cloister('metrics', 'run.ndjson')).code).toBe(0)
    const { code, stdout } = await folder.cloister('verify', 'run.ndjson', '--key', 'me.key.pub')
    expect(code).toBe(1)
    expect(stdout).toMatch(/another log was signed: the seal of record \d+ differs from the signed seal/)
  })

  it('the signature of a log covers the first records of a log that has grown, and is invalid for a cut log', async () => {
    const folder = await signed()
    const whole = read(folder, 'run.ndjson')
    const lines = whole.split('\n')
    folder.write('run.ndjson', `${lines.slice(0, 300).join('\n')}\n`)
    const cut = await folder.cloister('verify', 'run.ndjson', '--key', 'me.key.pub')
    expect(cut.code).toBe(1)
    expect(cut.stdout).toMatch(/another log was signed: this log ends before the signed record \d+/)
    const part = await folder.cloister('sign', 'run.ndjson', '--key', 'me.key', '--force')
    expect(part.code).toBe(3)
    expect(part.stdout).toContain('records 0 to 256 of run.ndjson')
    folder.write('run.ndjson', whole)
    const grown = await folder.cloister('verify', 'run.ndjson', '--key', 'me.key.pub')
    expect(grown.code).toBe(3)
    expect(grown.stdout).toMatch(/the signature covers the first 257 records, and not the last [\d,]+ records/)
  })

  it('the signature of a log with one changed character is invalid', async () => {
    const folder = await signed()
    const text = read(folder, 'run.ndjson.sig')
    for (let at = 0; at < text.length; at += 7) {
      if (/\s/.test(text[at])) continue
      folder.write('run.ndjson.sig', `${text.slice(0, at)}${text[at] === 'A' ? 'B' : 'A'}${text.slice(at + 1)}`)
      const { code } = await folder.cloister('verify', 'run.ndjson', '--key', 'me.key.pub')
      expect([1, 2]).toContain(code)
    }
  })

  it('sign and verify work with keys of OpenSSL, too', async () => {
    const folder = new Folder()
    await folder.log()
    const openssl = (...args: string[]) => spawnSync('openssl', args, { cwd: folder.path })
    if (openssl('genpkey', '-algorithm', 'ed25519', '-out', 'me.key').status !== 0) return
    openssl('pkey', '-in', 'me.key', '-pubout', '-out', 'me.pub')
    expect((await folder.cloister('sign', 'run.ndjson', '--key', 'me.key')).code).toBe(0)
    expect((await folder.cloister('verify', 'run.ndjson', '--key', 'me.pub')).code).toBe(0)
  })

  it('sign and verify refuse a wrong file with a message', async () => {
    const folder = await signed()
    const said = async (...args: string[]) => complaint(await folder.cloister(...args))
    expect(await said('sign', 'run.ndjson', '--key', 'me.key')).toContain(
      'run.ndjson.sig exists; --force overwrites it',
    )
    expect(await said('sign', 'run.ndjson', '--key', 'me.key', '--new-key', '--force')).toContain(
      'me.key exists; without --new-key the command signs with this key',
    )
    expect(await said('sign', 'run.ndjson', '--key', 'none.key', '--force')).toContain('none.key')
    expect(await said('sign', 'run.ndjson', '--key', 'run.ndjson.sig', '--force')).toContain(
      'expected a private Ed25519 key in PEM',
    )
    expect(await said('verify', 'run.ndjson', '--key', 'me.key.pub', '--signature', 'me.key')).toContain(
      'me.key is no signature of a log',
    )
    folder.write('short.ndjson', `${read(folder, 'run.ndjson').split('\n')[0]}\n`)
    expect(await said('sign', 'short.ndjson', '--key', 'me.key')).toContain('short.ndjson: the log has no seal yet')
  })
})
