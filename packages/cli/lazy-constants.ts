// Part of the build. A process that lives for one call needs few of a program's schemas, tables, expressions and classes,
// but evaluates all of them when it loads. This makes each constant at the top of a chunk a variable that is set on first
// use: our modules do nothing while they load but define things, so it does not matter when.

import type { Plugin } from "rolldown";

type Parse = ThisParameterType<Extract<Plugin["renderChunk"], (...given: never) => unknown>>["parse"];

/** A node of the syntax tree, with the fields of its type. */
interface Node {
  type: string;
  start: number;
  end: number;
  // biome-ignore lint/suspicious/noExplicitAny: the types of all nodes would be longer than what is done with them.
  [field: string]: any;
}

export interface Cut {
  start: number;
  end: number;
  text: string;
}

/** Names that are declared between a place and the top of the chunk. */
interface Scope {
  names: ReadonlySet<string>;
  outer: Scope | undefined;
}

export function lazyConstants(code: string, parse: Parse): string {
  const statements = parse(code).body as unknown as Node[];
  const found = referencesIn(statements);
  const cuts: Cut[] = [];
  const lazy = statements.flatMap((statement) => {
    const constant = constantIn(statement);
    if (constant === undefined || found.fixed.has(constant.name)) return [];
    const { name, value } = constant;
    cuts.push({
      start: statement.start,
      end: value.start,
      text: `function lazy$${name}(){return ${name}??=`,
    });
    cuts.push({ start: value.end, end: statement.end, text: "}" });
    return [name];
  });
  if (lazy.length === 0) return code;
  for (const name of lazy)
    for (const { start, end, isShorthand } of found.references.get(name) ?? [])
      cuts.push({ start, end, text: `${isShorthand ? `${name}:` : ""}(${name}??lazy$${name}())` });
  return `${without(code, cuts)}\nvar ${lazy.join()};`;
}

/** What takes no time, or is the work of a call. */
const CHEAP = new Set(["ArrowFunctionExpression", "FunctionExpression", "UnaryExpression"]);

/** What these give depends on when they are asked. */
const TIMELY = new Set(["process", "performance", "globalThis"]);

function constantIn(statement: Node): { name: string; value: Node } | undefined {
  if (statement.type === "ClassDeclaration") return { name: statement.id.name, value: statement };
  if (statement.type !== "VariableDeclaration" || statement.declarations.length !== 1) return undefined;
  const [{ id, init }] = statement.declarations;
  if (id.type !== "Identifier" || init === null || CHEAP.has(init.type) || isTimely(init)) return undefined;
  return init.type === "Literal" && !("regex" in init) ? undefined : { name: id.name, value: init };
}

function isTimely(node: Node): boolean {
  if (isFunction(node)) return false;
  return (
    node.type === "AwaitExpression" ||
    (node.type === "Identifier" && TIMELY.has(node.name)) ||
    children(node).some(isTimely)
  );
}

interface References {
  /** By the name at the top of the chunk that they refer to. */
  references: Map<string, { start: number; end: number; isShorthand: boolean }[]>;
  /** Names that must stay as they are: assigned later, or exported. */
  fixed: Set<string>;
}

function referencesIn(statements: readonly Node[]): References {
  const found: References = { references: new Map(), fixed: new Set() };
  // Identifiers that are not references, and short ones for a property and its value.
  const others = new Set<Node>();
  const shorthands = new Set<Node>();
  const visit = (node: Node, scope: Scope | undefined) => {
    for (const one of notReferencesIn(node)) others.add(one);
    for (const { name } of assignedIn(node)) if (isAtTop(name, scope)) found.fixed.add(name);
    if (node.type === "Property" && node.shorthand) shorthands.add(node.value);
    if (node.type === "Identifier" && !others.has(node) && isAtTop(node.name, scope)) {
      const { name, start, end } = node;
      const known = found.references.get(name) ?? [];
      found.references.set(name, [...known, { start, end, isShorthand: shorthands.has(node) }]);
    }
    const names = declaredInside(node);
    const inner = names === undefined ? scope : { names: new Set(names), outer: scope };
    for (const child of children(node)) visit(child, inner);
  };
  for (const statement of statements) visit(statement, undefined);
  return found;
}

function isAtTop(name: string, scope: Scope | undefined): boolean {
  for (let one = scope; one !== undefined; one = one.outer) if (one.names.has(name)) return false;
  return true;
}

function notReferencesIn(node: Node): Node[] {
  switch (node.type) {
    case "MemberExpression":
      return node.computed ? [] : [node.property];
    case "Property":
    case "MethodDefinition":
    case "PropertyDefinition":
      return node.computed ? [] : [node.key];
    case "VariableDeclarator":
      return boundBy(node.id);
    case "CatchClause":
      return boundBy(node.param);
    case "LabeledStatement":
    case "BreakStatement":
    case "ContinueStatement":
      return [node.label];
    case "MetaProperty":
      return [node.meta, node.property];
    case "ImportSpecifier":
    case "ImportDefaultSpecifier":
    case "ImportNamespaceSpecifier":
    case "ExportSpecifier":
      return children(node);
    default:
      if (isFunction(node)) return [node.id, ...node.params.flatMap(boundBy)];
      return isClass(node) ? [node.id] : [];
  }
}

function assignedIn(node: Node): Node[] {
  switch (node.type) {
    case "AssignmentExpression":
      return boundBy(node.left);
    case "UpdateExpression":
      return boundBy(node.argument);
    case "ForInStatement":
    case "ForOfStatement":
      return boundBy(node.left);
    case "ExportSpecifier":
      return [node.local];
    default:
      return [];
  }
}

/** Undefined if the node opens no scope. */
function declaredInside(node: Node): string[] | undefined {
  switch (node.type) {
    case "BlockStatement":
    case "StaticBlock":
      return declaredBy(node.body);
    case "SwitchStatement":
      return declaredBy(node.cases.flatMap((one: Node) => one.consequent));
    case "ForStatement":
      return declaredBy([node.init]);
    case "ForInStatement":
    case "ForOfStatement":
      return declaredBy([node.left]);
    case "CatchClause":
      return boundBy(node.param).map(({ name }) => name);
    case "ClassDeclaration":
    case "ClassExpression":
      return node.id === null ? [] : [node.id.name];
    default: {
      if (!isFunction(node)) return undefined;
      const own = node.type === "FunctionExpression" && node.id !== null ? [node.id] : [];
      const params: Node[] = node.params.flatMap(boundBy);
      return [...[...own, ...params].map(({ name }) => name), ...variablesIn(node.body)];
    }
  }
}

function declaredBy(statements: readonly (Node | null)[]): string[] {
  return statements.flatMap((one) => {
    if (one?.type === "VariableDeclaration")
      return one.declarations.flatMap(({ id }: Node) => boundBy(id).map(({ name }) => name));
    return one !== null && /^(?:Function|Class)Declaration$/u.test(one.type) ? [one.id.name] : [];
  });
}

/** `var` counts in the whole function. */
function variablesIn(node: Node): string[] {
  if (isFunction(node) || isClass(node)) return [];
  const own = node.type === "VariableDeclaration" && node.kind === "var" ? declaredBy([node]) : [];
  return [...own, ...children(node).flatMap(variablesIn)];
}

/** The identifiers that a pattern declares or assigns, without those in its defaults. */
function boundBy(pattern: Node | null): Node[] {
  switch (pattern?.type) {
    case "Identifier":
      return [pattern];
    case "ObjectPattern":
      return pattern.properties.flatMap((one: Node) => boundBy(one.type === "Property" ? one.value : one));
    case "ArrayPattern":
      return pattern.elements.flatMap(boundBy);
    case "RestElement":
      return boundBy(pattern.argument);
    case "AssignmentPattern":
      return boundBy(pattern.left);
    default:
      return [];
  }
}

function isFunction({ type }: Node): boolean {
  return /^(?:FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/u.test(type);
}

function isClass({ type }: Node): boolean {
  return type === "ClassDeclaration" || type === "ClassExpression";
}

function children(node: Node): Node[] {
  return Object.values(node)
    .flat()
    .filter((one) => typeof one === "object" && one !== null && typeof one.type === "string");
}

/** The code with each cut replaced by its text. */
export function without(code: string, cuts: readonly Cut[]): string {
  let at = 0;
  let result = "";
  for (const { start, end, text } of cuts.toSorted((a, b) => a.start - b.start || a.end - b.end)) {
    result += code.slice(at, start) + text;
    at = end;
  }
  return result + code.slice(at);
}
