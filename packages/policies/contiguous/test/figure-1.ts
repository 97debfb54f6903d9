/**
 * The algorithm of Figure 1 as it is printed, with three slips mended: the sweep counter has a name of its own (`k` is the
 * tree's), the level is incremented, and the sweep ends at the last node where that is inside a group.
 *
 * @param subtree nodes below one switch of stage `level`, from 1
 * @param N nodes that are installed
 * @param x nodes required
 */
export function figure1(
  subtree: (level: number) => number,
  n: number,
  N: number,
  x: number,
  available: (node: number) => boolean,
  above = 0,
): Array<number> {
  let level = 1
  let levelSize = subtree(1)
  while (level < n && x > levelSize) {
    level++
    levelSize = subtree(level)
  }
  if (x > levelSize) return []
  levelSize = subtree(Math.min(n, level + above))

  let nodeList: Array<number> = []
  let i = 0
  let swept = 0
  while (i < N) {
    while (i < N && swept < levelSize && nodeList.length < x) {
      if (available(i)) {
        nodeList.push(i)
        if (nodeList.length === x) return nodeList
      }
      i++
      swept++
    }
    swept = 0
    nodeList = []
  }
  return nodeList
}
