import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll } from 'vitest'
import { bundle } from './cloister.ts'

/** Where Debian, or whoever set the variable, has it. */
const executablePath = process.env['CLOISTER_CHROMIUM'] ?? '/usr/bin/chromium'
export const hasChromium: boolean = existsSync(executablePath)
export const withoutChromium = 'there is no Chromium: CLOISTER_CHROMIUM says where one is'

/** For what hangs: on a busy machine a browser may take half a minute to start, ms. */
const SLOW = 300_000

/** One browser, and the servers and pages of one test at a time. */
export class Viewer {
  #browser: Browser | undefined
  /** Of the servers, beside what this process has. */
  #env: Readonly<Record<string, string>> = {}
  #servers: Array<ChildProcess> = []
  #pages: Array<Page> = []
  /** What went wrong in the pages, in the browser's words. */
  readonly complaints: Array<string> = []
  /** What the pages asked anybody for. */
  readonly requests: Array<string> = []

  static async launch(): Promise<Viewer> {
    const viewer = new Viewer()
    await viewer.#launch()
    return viewer
  }

  /**
   * That of all tests of a file, launched before them where there is a Chromium.
   *
   * @param lasts after what its servers and pages end
   */
  static ofTests(lasts: 'test' | 'file' = 'test'): Viewer {
    const viewer = new Viewer()
    if (hasChromium) {
      // What is kept of logs is none of the tester's, and nothing is shown that an earlier run of the tests kept.
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
    this.#browser = await chromium.launch({ executablePath, args: ['--no-sandbox'], timeout: SLOW })
  }

  /** Runs `cloister view` and gives the address that it prints. */
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

  /** Opens a page and waits until it shows a moment of a log that is read. */
  async open(url: string): Promise<Page> {
    return (await this.openTimed(url)).page
  }

  /** The same; tells too how long it took to show a moment, and until all of the log was read and drawn, ms. */
  async openTimed(url: string): Promise<{ readonly page: Page; readonly firstMoment: number; readonly whole: number }> {
    const from = performance.now()
    const page = await this.visit(url)
    await page.waitForFunction(() => /record \d/.test(document.querySelector('[data-testid=now]')?.textContent ?? ''))
    const firstMoment = performance.now() - from
    await page.locator('[data-testid=status-a]:not(.reading)').waitFor()
    return { page, firstMoment, whole: performance.now() - from }
  }

  /** Opens a page, whatever it shows. */
  async visit(url: string): Promise<Page> {
    const page = await this.#browser!.newPage({ viewport: { width: 1280, height: 800 } })
    page.setDefaultTimeout(SLOW)
    this.#pages.push(page)
    page.on('pageerror', (error) => this.complaints.push(String(error)))
    page.on('console', (message) => {
      if (message.type() === 'error') this.complaints.push(message.text())
    })
    page.on('dialog', (dialog) => {
      this.complaints.push(`a dialog: ${dialog.message()}`)
      void dialog.dismiss()
    })
    page.on('request', (request) => this.requests.push(request.url()))
    await page.goto(url)
    return page
  }

  /** Ends the servers, and leaves the pages. */
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

  /** Ends all of it: a server that is left would keep this process from its end. */
  async close(): Promise<void> {
    await this.endTest()
    await this.#browser?.close()
  }
}

/** The record at the cursor, once the page shows the one that is expected. */
export async function showsRecord(page: Page, seq: number): Promise<void> {
  await page.locator('[data-testid=now]', { hasText: new RegExp(`record ${seq}( |$)`) }).waitFor()
}

/** The seq of the record at the cursor. */
export async function recordShown(page: Page): Promise<number> {
  return Number(/record (\d+)/.exec((await page.locator('[data-testid=now]').textContent()) ?? '')?.[1])
}

/** What `cloister state --json` tells of a moment, as far as the page shows it. */
export interface Replay {
  readonly free: number
  readonly running: ReadonlyArray<{ readonly job: string }>
  readonly waiting: ReadonlyArray<{ readonly job: string }>
}

/** The same in the page's words. */
export function inWords({ running, waiting, free }: Replay): string {
  return `${running.length} jobs run, ${waiting.length} wait, ${free === 0 ? 'no node is free' : free === 1 ? '1 node is free' : `${free} nodes are free`}`
}
