// An esbuild plugin: Effect's help is laid out with a segmenter of text, which takes longer to make than all else that starts a command.
import { readFileSync } from 'node:fs'

const eager = /const graphemeSegmenter = (\/\*#__PURE__\*\/\s*new Intl\.Segmenter\([^)]*\));/

/** Makes the segmenter when the first help is printed. The build fails where Effect's source no longer has it. */
export const lazySegmenter = {
  name: 'lazy-segmenter',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]effect[\\/]dist[\\/]cli[\\/]CliOutput\.js$/ }, ({ path }) => {
      const source = readFileSync(path, 'utf8')
      if (!eager.test(source)) throw new Error(`${path} makes no segmenter at its start: lazy-segmenter.mjs can go`)
      const contents = source
        .replace(eager, 'let segmenter; const graphemeSegmenter = () => (segmenter ??= $1);')
        .replaceAll('graphemeSegmenter.segment(', 'graphemeSegmenter().segment(')
      return { contents, loader: 'js' }
    })
  },
}
