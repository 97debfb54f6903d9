declare module 'jstat' {
  /** Student's distribution, as far as it is used here. */
  const jstat: { readonly jStat: JStat }
  export default jstat
  interface JStat {
    readonly studentt: {
      /** The value below which a share of the distribution lies. */
      readonly inv: (share: number, degreesOfFreedom: number) => number
    }
  }
}
