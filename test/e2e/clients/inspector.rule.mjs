// An introspection has no room for directives that are applied, so of @requires and @acceptsNull only the definitions can be compared.
export default ({changes}) =>
  changes.filter(({type, meta}) => !(type.startsWith('DIRECTIVE_USAGE') && /^(requires|acceptsNull)$/.test(meta.removedDirectiveName ?? '')))
