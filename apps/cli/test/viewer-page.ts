import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll } from 'vitest'
import { hasChromium, launchChromium } from './chromium.ts'
import { bundle } from './cloister.ts'

export { hasChromium }
export const withoutChromium = 'there is no Chromium: CLOISTER_CHROMIUM says where one is'

/** Time limit for each step of a test, in ms. */
const SLOW = 300_000

/** Browser with the servers and the pages of a test. */
export class Viewer {
  #browser: Browser | undefined
  /** Environment variables of the servers, in addition to those of this process. */
  #env: Readonly<Record<string, string>> = {}
  #servers: Array<ChildProcess> = []
  #pages: Array<Page> = []
  /** Messages of the browser about errors in the pages. */
  readonly complaints: Array<string> = []
  /** Addresses of all requests that the pages sent. */
  readonly requests: Array<string> = []

  static async launch(): Promise<Viewer> {
    const viewer = new Viewer()
    await viewer.#launch()
    return viewer
  }

  /**
   * Returns the browser for all tests of a file. If Chromium is installed, it starts before the tests.
   * @param lasts when the servers and the pages end: after each test, or after all tests of the file
   */
  static ofTests(lasts: 'test' | 'file' = 'test'): Viewer {
    const viewer = new Viewer()
    if (hasChromium) {
      // Uses a new cache folder, so that the tests use neither the stored runs of the tester, nor runs that earlier tests
      // kept.
      const cache = mkdtempSync(join(tmpdir(), 'cloister-cache-'))
      viewer.#env = { XDG_CACHE_HOME: cache }
      beforeAll(() => viewer.#launch())
      if (lasts === 'test') afterEach(() => viewer.endTest())
      afterAll(async () => {
        await viewer.close()
        rmSync(cache, { recursive: true, force: true })
      })
    }
    return viewer
  }

  async #launch(): Promise<void> {
    this.#browser = await launchChromium()
  }

  /** Runs `cloister view` in a process, and returns the address that the process prints. */
  async serve(folder: string, ...args: ReadonlyArray<string>): Promise<string> {
    const server = spawn(process.execPath, [bundle, 'view', ...args, '--no-open', '--json'], {
      cwd: folder,
      env: { ...process.env, ...this.#env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.#servers.push(server)
    return new Promise((resolve, reject) => {
      let out = ''
      let complaint = ''
      server.stderr.on('data', (text: Buffer) => {
        complaint += String(text)
      })
      server.on('exit', () => reject(new Error(complaint)))
      server.stdout.on('data', (text: Buffer) => {
        out += String(text)
        if (out.includes('}')) resolve((JSON.parse(out) as { readonly url: string }).url)
      })
    })
  }

  /** Opens a page, and waits until the log is read and a moment is shown. */
  async open(url: string): Promise<Page> {
    return (await this.openTimed(url)).page
  }

  /** Opens a page. Also returns the times in ms to the first shown moment, and to the whole log read and drawn. */
  async openTimed(url: string): Promise<{ readonly page: Page; readonly firstMoment: number; readonly whole: number }> {
    const from = performance.now()
    const page = await this.visit(url)
    await page.waitForFunction(() => /record \d/.test(document.querySelector('[data-testid=now]')?.textContent ?? ''))
    const firstMoment = performance.now() - from
    await page.locator('[data-testid=status-a]:not(.reading)').waitFor()
    return { page, firstMoment, whole: performance.now() - from }
  }

  /** Opens a page without waiting for its content. */
  async visit(url: string): Promise<Page> {
    const page = await this.#browser!.newPage({ viewport: { width: 1280, height: 800 } })
    page.setDefaultTimeout(SLOW)
    this.#pages.push(page)
    page.on('pageerror', (error) => this.complaints.push(String(error)))
    page.on('console', (message) => {
      if (message.type() === 'error') this.complaints.push(`${message.text()} ${message.location().url}`)
    })
    page.on('dialog', (dialog) => {
      this.complaints.push(`a dialog: ${dialog.message()}`)
      void dialog.dismiss()
    })
    page.on('request', (request) => this.requests.push(request.url()))
    await page.goto(url)
    return page
  }

  /** Ends the servers, and leaves the pages open. */
  endServers(): void {
    for (const server of this.#servers) server.kill()
    this.#servers = []
  }

  async endTest(): Promise<void> {
    for (const page of this.#pages) await page.close()
    this.endServers()
    this.#pages = []
    this.complaints.length = 0
    this.requests.length = 0
  }

  /** Ends servers, pages and browser, because a remaining server would keep this process running. */
  async close(): Promise<void> {
    await this.endTest()
    await this.#browser?.close()
  }
}

/** Waits until the page shows record `seq` at the cursor. */
export async function showsRecord(page: Page, seq: number): Promise<void> {
  await page.locator('[data-testid=now]', { hasText: new RegExp(`record ${seq}( |$)`) }).waitFor()
}

/** Returns the number of the record that the page shows at the cursor. */
export async function recordShown(page: Page): Promise<number> {
  return Number(/record (\d+)/.exec((await page.locator('[data-testid=now]').textContent()) ?? '')?.[1])
}

/** Fields of the output of `cloister state --json` that the page shows. */
export interface Replay {
  readonly free: number
  readonly running: ReadonlyArray<{ readonly job: string }>
  readonly waiting: ReadonlyArray<{ readonly job: string }>
}

/** Returns the text by which the page shows a state. */
export function inWords({ running, waiting, free }: Replay): string {
  return `${running.length} jobs run, ${waiting.length} wait, ${free === 0 ? 'no node is free' : free === 1 ? '1 node is free' : `${free} nodes are free`}`
}
