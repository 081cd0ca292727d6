/** @type {import('houdini').ConfigFile} */
export default {
  schemaPath: '../../../schema.graphqls',
  include: 'generated/houdini-operations/*.graphql',
  runtimeDir: 'generated/houdini',
  defaultFragmentMasking: 'disable',
  plugins: {},
  scalars: Object.fromEntries(['Int64', 'Date', 'DateTime', 'LanguageTag', 'TimeZone', 'Color', 'SavedFilter'].map((name) => [name, {type: 'string'}])),
}
