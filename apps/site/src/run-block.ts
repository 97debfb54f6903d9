// A run on a page: a block of Markdown, and what VitePress makes of it.

/** The language of such blocks. */
export const RUN = 'run'

/** @param name of the run's file @param what it is, in a few words */
export function runBlock(name: string, what: string): string {
  return `\`\`\`${RUN}\n${name}\n${what}\n\`\`\`\n\n`
}

/** The markup of what stands in a block: the run is read when somebody opens it. */
export function runFrame(block: string): string {
  const [name, what] = block
    .trim()
    .split('\n')
    .map((text) => text.replaceAll("'", '&#39;').replaceAll('"', '&quot;'))
  return `<details class="run"><summary>See a run: ${what}, in the viewer</summary><iframe loading="lazy" title="${what}, in the viewer" src="./runs/${name}.html"></iframe></details>\n`
}
