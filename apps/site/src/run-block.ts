// Writes runs into pages: the block of Markdown for a run, and the HTML of the block.

/** Language of a block of Markdown that shows a run. */
export const RUN = 'run'

/** Returns the block of Markdown for a run. @param name name of the run's file @param what description of the run */
export function runBlock(name: string, what: string): string {
  return `\`\`\`${RUN}\n${name}\n${what}\n\`\`\`\n\n`
}

/** Returns the HTML of a block of Markdown for a run. The run is loaded when a reader opens the block. */
export function runFrame(block: string): string {
  const [name, what] = block
    .trim()
    .split('\n')
    .map((text) => text.replaceAll("'", '&#39;').replaceAll('"', '&quot;'))
  return `<details class="run"><summary>See a run: ${what}, in the viewer</summary><iframe loading="lazy" title="${what}, in the viewer" src="./runs/${name}.html"></iframe></details>\n`
}
