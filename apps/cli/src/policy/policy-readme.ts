/**
 * Returns the first paragraph of a README on one line; undefined if all text is in headings, code, tables and lists.
 */
export function firstParagraph(markdown: string): string | undefined {
  const paragraphs = markdown.split(/\n\s*\n/).map((text) => text.trim().replaceAll('\n', ' '))
  return paragraphs.find((text) => text !== '' && !/^[#`<|!>-]/.test(text))
}
