/** Returns a README's first paragraph on one line, no heading, code, table or list; undefined without a paragraph. */
export function firstParagraph(markdown: string): string | undefined {
  const paragraphs = markdown.split(/\n\s*\n/).map((text) => text.trim().replaceAll('\n', ' '))
  return paragraphs.find((text) => text !== '' && !/^[#`<|!>-]/.test(text))
}
