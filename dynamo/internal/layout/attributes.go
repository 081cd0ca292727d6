package layout

import (
	"strconv"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Item is an item of the table in the SDK's representation.
type Item = map[string]types.AttributeValue

// The following functions create attribute values.

// S returns a string.
func S(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }

// B returns a binary value.
func B(b []byte) types.AttributeValue { return &types.AttributeValueMemberB{Value: b} }

// N returns a number.
func N(n int64) types.AttributeValue {
	return &types.AttributeValueMemberN{Value: strconv.FormatInt(n, 10)}
}

// Bool returns a Boolean value.
func Bool(b bool) types.AttributeValue { return &types.AttributeValueMemberBOOL{Value: b} }

// The getters return the zero value if the attribute is missing or has another type.

// GetS returns a string.
func GetS(m Item, name string) string {
	if v, ok := m[name].(*types.AttributeValueMemberS); ok {
		return v.Value
	}
	return ""
}

// GetB returns a binary value. It is not a copy.
func GetB(m Item, name string) []byte {
	if v, ok := m[name].(*types.AttributeValueMemberB); ok {
		return v.Value
	}
	return nil
}

// GetN returns an integer.
func GetN(m Item, name string) int64 {
	if v, ok := m[name].(*types.AttributeValueMemberN); ok {
		n, _ := strconv.ParseInt(v.Value, 10, 64)
		return n
	}
	return 0
}

func getBool(m Item, name string) bool {
	v, ok := m[name].(*types.AttributeValueMemberBOOL)
	return ok && v.Value
}

// GetM returns a map. It is not a copy.
func GetM(m Item, name string) Item {
	if v, ok := m[name].(*types.AttributeValueMemberM); ok {
		return v.Value
	}
	return nil
}

// GetL returns a list. It is not a copy.
func GetL(m Item, name string) []types.AttributeValue {
	if v, ok := m[name].(*types.AttributeValueMemberL); ok {
		return v.Value
	}
	return nil
}

// KeyItem returns a new item with only the attributes of a key.
func KeyItem(k Key) Item { return Item{AttrPK: S(k.PK), AttrSK: S(k.SK)} }

// KeyOf returns the key of an item.
func KeyOf(m Item) Key { return Key{PK: GetS(m, AttrPK), SK: GetS(m, AttrSK)} }

// ItemBytes returns the size of an item as DynamoDB counts it: the bytes of names and values.
func ItemBytes(m Item) int {
	n := 0
	for name, v := range m {
		n += len(name) + ValueBytes(v)
	}
	return n
}

// ValueBytes returns the size of an attribute value as DynamoDB counts it.
func ValueBytes(v types.AttributeValue) int {
	switch v := v.(type) {
	case *types.AttributeValueMemberS:
		return len(v.Value)
	case *types.AttributeValueMemberB:
		return len(v.Value)
	case *types.AttributeValueMemberN:
		return len(v.Value)/2 + 2
	case *types.AttributeValueMemberSS:
		n := 0
		for _, s := range v.Value {
			n += len(s)
		}
		return n
	case *types.AttributeValueMemberL:
		n := 3
		for _, e := range v.Value {
			n += 1 + ValueBytes(e)
		}
		return n
	case *types.AttributeValueMemberM:
		return 3 + len(v.Value) + ItemBytes(v.Value)
	}
	return 1
}
