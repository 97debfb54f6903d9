/** Returns the first paragraph of a README that is no heading, code, table or list, on one line, or undefined. */
export function firstParagraph(markdown: string): string | undefined {
  const paragraphs = markdown.split(/\n\s*\n/).map((text) => text.trim().replaceAll('\n', ' '))
  return paragraphs.find((text) => text !== '' && !/^[#`<|!>-]/.test(text))
}
