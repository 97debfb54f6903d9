import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, existsSync, readFileSync, statSync } from 'node:fs'
import { connect } from 'node:net'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { hostDefect } from '@cloister/viewer/server'
import { bundle, Folder } from './cloister.ts'

/** Runs `cloister view` in a process, and returns the process and the address that the process prints. */
async function serve(folder: Folder, args: ReadonlyArray<string>, env: Record<string, string> = {}) {
  const server: ChildProcess = spawn(process.execPath, [bundle, 'view', 'run.ndjson', '--json', ...args], {
    cwd: folder.path,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH: process.env['PATH'] ?? '', ...env },
  })
  onTestFinished(() => void server.kill())
  let out = ''
  for await (const text of server.stdout!) {
    out += String(text)
    if (out.includes('}')) break
  }
  return new URL((JSON.parse(out) as { readonly url: string }).url)
}

/** Sends the text of an HTTP request, and returns the status of the answer. */
function statusOf({ port }: URL, target: string, host: string | undefined): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), '127.0.0.1', () =>
      socket.write(
        `GET ${target} HTTP/1.1\r\n${host === undefined ? '' : `Host: ${host}\r\n`}Connection: close\r\n\r\n`,
      ),
    )
    let answer = ''
    socket.on('data', (bytes) => {
      answer += String(bytes)
    })
    socket.on('close', () => resolve(Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1])))
    socket.on('error', reject)
  })
}

it('the server of the viewer answers only requests to host names of loopback, and refuses invalid addresses', async () => {
  const folder = new Folder()
  await folder.log()
  const url = await serve(folder, ['--no-open'])
  const asked = async (target: string, host: string | undefined) => ({ target, host, status: await statusOf(url, target, host) }) // oxfmt-ignore
  for (const host of [url.host, `localhost:${url.port}`, 'localhost:9000', '127.0.0.1', '[::1]:80'])
    expect(await asked(url.pathname, host)).toMatchObject({ status: 200 })
  for (const host of ['evil.example', `127.0.0.1.evil.example:${url.port}`, '127.0.0.2', 'localhost.evil'])
    for (const target of [url.pathname, `${url.pathname}run/a/overview?q=%7B%7D`, '/'])
      expect(await asked(target, host)).toMatchObject({ status: 403 })
  expect(await asked(`http://evil.example${url.pathname}`, url.host)).toMatchObject({ status: 403 })
  expect(await asked(url.href, url.host)).toMatchObject({ status: 200 })
  for (const target of ['http://[', 'http://[::1', 'http://x:99999999/', '*', 'nothing'])
    expect(await asked(target, url.host)).toMatchObject({ status: 400 })
  for (const host of [undefined, '', '[', 'a b']) expect(await asked(url.pathname, host)).toMatchObject({ status: 400 })
})

it('the server of the viewer reads a note only up to the limit of its length', async () => {
  const folder = new Folder()
  await folder.log()
  const url = await serve(folder, ['--no-open'])
  const post = async (body: string): Promise<readonly [number, string]> => {
    const answer = await fetch(new URL('notes', url), { method: 'POST', body })
    return [answer.status, await answer.text()]
  }
  // Writes the longest allowed note: four thousand characters of six bytes each.
  const longest = JSON.stringify({ add: { address: 't=5', text: 'x' } }).replace('"x"', `"${'\\u00e9'.repeat(4000)}"`)
  expect(longest.length).toBeGreaterThan(24_000)
  expect((await post(longest))[0]).toBe(200)
  const [status, message] = await post('x'.repeat(2 ** 20))
  expect([status, message]).toEqual([413, 'the change of the notes has more than 49024 bytes, the largest number'])
  // Sends a body without an announced length. The server stops reading at the limit.
  let taken = 0
  const endless = new ReadableStream({
    pull: (to) => {
      taken++
      to.enqueue(new Uint8Array(2 ** 16))
      if (taken === 200) to.close()
    },
  })
  const answer = await fetch(new URL('notes', url), { method: 'POST', body: endless, duplex: 'half' } as RequestInit)
  expect(answer.status).toBe(413)
  expect((await fetch(new URL('notes', url))).status).toBe(200)
})

it('hostDefect compares only the name of the host, not the port', () => {
  expect(hostDefect('/', '127.0.0.1:1')).toBeUndefined()
  expect(hostDefect('/', 'LOCALHOST')).toBeUndefined()
  expect(hostDefect('/', 'user@evil')).toMatchObject({ status: 403 })
  expect(hostDefect('https://localhost/', 'localhost')).toMatchObject({ status: 403 })
})

it.skipIf(process.platform !== 'linux')(
  'cloister view gives the browser a file that only the user can read, never the address of the page',
  async () => {
    const folder = new Folder()
    await folder.log()
    // A program in the role of the browser writes its arguments to a file.
    folder.write(
      'xdg-open',
      `#!/bin/sh\necho "$@" > '${folder.path}/asked.part' && mv '${folder.path}/asked.part' '${folder.path}/asked'\n`,
    )
    chmodSync(join(folder.path, 'xdg-open'), 0o755)
    const url = await serve(folder, [], { PATH: `${folder.path}:${process.env['PATH']}`, TMPDIR: folder.path })
    for (let waited = 0; !existsSync(join(folder.path, 'asked')) && waited < 10_000; waited += 20) await sleep(20)
    const asked = readFileSync(join(folder.path, 'asked'), 'utf8').trim()
    expect(asked).toMatch(/^file:\/\/\/.*\/open\.html$/)
    expect(asked).not.toContain(url.pathname)
    const page = fileURLToPath(asked)
    expect(readFileSync(page, 'utf8')).toContain(`content="0;url=${url.href}"`)
    expect(statSync(page).mode & 0o777).toBe(0o600)
    expect(statSync(dirname(page)).mode & 0o777).toBe(0o700)
    // After the page has loaded, the server removes the file that redirects the browser.
    expect(await statusOf(url, url.pathname, url.host)).toBe(200)
    expect(existsSync(dirname(page))).toBe(false)
  },
)
